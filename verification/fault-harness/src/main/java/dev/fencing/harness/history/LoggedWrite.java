package dev.fencing.harness.history;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A write that the database accepted, as its own transaction logged it.
 *
 * @param op the attempt; one attempt that writes several rows has a line for each
 * @param resource the fence, or the lock where there is no fence
 * @param key the guarded row; the resource where that has only one
 * @param token the token of the writer's hold, also in arms that do not look at it
 * @param ver the version that the write gave the row; the first is 1
 * @param readVer the version that the writer had read
 * @param old the value that the writer had read
 * @param fresh the value that it wrote; {@code :new} in EDN
 */
public record LoggedWrite(
    String op,
    String resource,
    String key,
    long token,
    long ver,
    long readVer,
    @Nullable Object old,
    @Nullable Object fresh) {

  Map<String, @Nullable Object> toMap() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put("op", op);
    map.put("resource", resource);
    map.put("key", key.equals(resource) ? null : key);
    map.put("token", token);
    map.put("ver", ver);
    map.put("read-ver", readVer);
    map.put("old", old);
    map.put("new", fresh);
    return map;
  }

  static LoggedWrite fromMap(Fields fields) {
    String resource = fields.text("resource");
    String key = fields.optionalText("key");
    return new LoggedWrite(
        fields.text("op"),
        resource,
        key == null ? resource : key,
        fields.number("token"),
        fields.number("ver"),
        fields.number("read-ver"),
        fields.get("old"),
        fields.get("new"));
  }
}
