package dev.fencing.examples.job.demo;

import org.jspecify.annotations.Nullable;

/**
 * Where ZooKeeper and the database are.
 *
 * @param zookeeper a ZooKeeper connection string
 * @param database the database
 */
public record Servers(String zookeeper, Database database) {

  /**
   * A PostgreSQL database.
   *
   * @param url its JDBC URL
   * @param user the database user
   * @param password the password, if the user needs one
   */
  public record Database(String url, String user, @Nullable String password) {}
}
