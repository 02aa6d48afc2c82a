package dev.fencing.harness.stage;

import dev.fencing.fixtures.TcpProxy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The proxies between one worker and the servers; they outlive the worker's incarnations. */
public final class Links implements AutoCloseable {

  private final List<TcpProxy> zookeeper = new ArrayList<>();
  private final List<TcpProxy> database = new ArrayList<>();

  static Links open(Ensemble ensemble, Database server, int locks) throws IOException {
    Links links = new Links();
    for (int i = 0; i < ensemble.size(); i++) {
      links.zookeeper.add(TcpProxy.to(ensemble.port(i)));
    }
    for (int i = 0; i < locks; i++) {
      links.database.add(TcpProxy.to(server.port()));
    }
    return links;
  }

  /** One for each ZooKeeper server. */
  public List<TcpProxy> zookeeper() {
    return zookeeper;
  }

  /** One for each lock, so that a fault can be aimed at the work under it. */
  public List<TcpProxy> database() {
    return database;
  }

  String zookeeperAddress() {
    return String.join(",", zookeeper.stream().map(proxy -> "127.0.0.1:" + proxy.port()).toList());
  }

  /** Ends every silence. */
  public void restore() {
    Stream.concat(zookeeper.stream(), database.stream()).forEach(TcpProxy::restore);
  }

  @Override
  public void close() throws IOException {
    for (TcpProxy proxy : zookeeper) {
      proxy.close();
    }
    for (TcpProxy proxy : database) {
      proxy.close();
    }
  }
}
