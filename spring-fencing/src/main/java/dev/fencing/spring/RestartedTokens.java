package dev.fencing.spring;

/**
 * A lock that was still held when its token was refused as older: its path cannot have granted a
 * newer one, so the source of tokens has started again.
 */
record RestartedTokens(
    String resource, String lockPath, long generation, long granted, long stored) {

  String remedy() {
    return "ZooKeeper grants %s tokens of %d, but the fence of \"%s\" has seen %d from there in generation %d: the ensemble was rebuilt or another one is connected, and every write is refused. If it was rebuilt, raise fencing.jdbc.generation to %d in all processes"
        .formatted(lockPath, granted, resource, stored, generation, generation + 1);
  }
}
