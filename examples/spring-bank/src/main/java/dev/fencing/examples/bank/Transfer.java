package dev.fencing.examples.bank;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;

/** A transfer in the ledger. Its id is the client's, so that a repeated request finds it. */
@Entity
@Table(name = "transfer")
class Transfer {

  @Id private UUID id;

  @Column(name = "payer")
  private long from;

  @Column(name = "payee")
  private long to;

  private long cents;

  @SuppressWarnings("NullAway.Init")
  protected Transfer() {}

  Transfer(UUID id, TransferOrder order) {
    this.id = id;
    this.from = order.from();
    this.to = order.to();
    this.cents = order.cents();
  }

  UUID id() {
    return id;
  }

  TransferOrder order() {
    return new TransferOrder(from, to, cents);
  }
}
