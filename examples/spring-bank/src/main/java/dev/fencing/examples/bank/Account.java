package dev.fencing.examples.bank;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** An account, as any entity is written. */
@Entity
@Table(name = "account")
class Account {

  @Id private long id;
  private String owner;
  private long cents;
  private long token;

  @SuppressWarnings("NullAway.Init")
  protected Account() {}

  long id() {
    return id;
  }

  String owner() {
    return owner;
  }

  long cents() {
    return cents;
  }

  /** The fencing token of the hold that wrote it last; 0 if none has. */
  long token() {
    return token;
  }

  void pay(long amount, long byToken) {
    if (amount > cents) {
      throw new InsufficientFundsException(id, cents, amount);
    }
    cents -= amount;
    token = byToken;
  }

  void receive(long amount, long byToken) {
    cents += amount;
    token = byToken;
  }
}
