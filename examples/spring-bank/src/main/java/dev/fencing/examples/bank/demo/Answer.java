package dev.fencing.examples.bank.demo;

import java.util.Map;
import org.springframework.boot.json.JsonParserFactory;

/**
 * What a client got for a request.
 *
 * @param status of HTTP, or {@link #NONE}
 * @param text the body, or why there is none
 */
record Answer(int status, String text) {

  static final int NONE = 0;
  static final int DONE = 200;
  static final int CONFLICT = 409;
  static final int STALE = 412;
  static final int UNAVAILABLE = 503;

  /** Whether the transfer was certainly not done by this request. */
  boolean refuses() {
    return status == STALE || status == CONFLICT || isBusy();
  }

  /** Whether it makes sense to ask again with the same id. */
  boolean mayBeRepeated() {
    return status == NONE || status == UNAVAILABLE;
  }

  /** Of the two kinds of 503, that before anything was begun. */
  private boolean isBusy() {
    return status == UNAVAILABLE && "Busy".equals(json().get("title"));
  }

  /** The status, and of a refusal the three numbers. */
  String inWords() {
    if (status != STALE) {
      return status + " " + text;
    }
    Map<String, Object> problem = json();
    return "%d: %s, presented token %s, stored token %s"
        .formatted(
            status,
            problem.get("resource"),
            problem.get("presentedToken"),
            problem.get("storedToken"));
  }

  Map<String, Object> json() {
    return JsonParserFactory.getJsonParser().parseMap(text);
  }
}
