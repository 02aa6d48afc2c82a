package dev.fencing.examples.dropin;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The SQL of the warehouse. It knows nothing of locks and fences, and the switch leaves it alone.
 */
public final class Shelf {

  /** Makes it; it has no state. */
  public Shelf() {}

  /** Returns how many pieces there are. */
  public int count(Connection connection, String article) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT pieces FROM shelf WHERE article = ?")) {
      select.setString(1, article);
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) {
          throw new SQLException("there is no article \"" + article + "\" on the shelf");
        }
        return row.getInt(1);
      }
    }
  }

  /** Writes down an order, and how many pieces it leaves. */
  public int write(Connection connection, Order order, int left) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO shipment (order_id, article, pieces, left_over) VALUES (?, ?, ?, ?)")) {
      insert.setString(1, order.id());
      insert.setString(2, order.article());
      insert.setInt(3, order.pieces());
      insert.setInt(4, left);
      insert.executeUpdate();
    }
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE shelf SET pieces = ? WHERE article = ?")) {
      update.setInt(1, left);
      update.setString(2, order.article());
      return update.executeUpdate();
    }
  }
}
