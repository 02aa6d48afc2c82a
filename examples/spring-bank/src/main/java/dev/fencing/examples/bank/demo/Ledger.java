package dev.fencing.examples.bank.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What the database holds, past the bank. */
final class Ledger {

  private final Servers servers;

  Ledger(Servers servers) {
    this.servers = servers;
  }

  boolean has(UUID id) throws SQLException {
    try (Connection connection = servers.connect();
        PreparedStatement statement =
            connection.prepareStatement("SELECT 1 FROM transfer WHERE id = ?")) {
      statement.setObject(1, id);
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  /** Returns the transfers by their ids. */
  Map<UUID, Order> transfers() throws SQLException {
    Map<UUID, Order> found = new HashMap<>();
    try (Connection connection = servers.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT id, payer, payee, cents FROM transfer")) {
      while (row.next()) {
        UUID id = row.getObject(1, UUID.class);
        found.put(id, new Order(id, row.getLong(2), row.getLong(3), row.getLong(4), null));
      }
    }
    return found;
  }

  /** Returns the balances in the order of the accounts' numbers, which begin at 1. */
  List<Long> balances() throws SQLException {
    List<Long> found = new ArrayList<>();
    try (Connection connection = servers.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT cents FROM account ORDER BY id")) {
      while (row.next()) {
        found.add(row.getLong(1));
      }
    }
    return found;
  }
}
