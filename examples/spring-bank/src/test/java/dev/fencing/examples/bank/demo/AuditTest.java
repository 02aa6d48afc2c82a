package dev.fencing.examples.bank.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** That the audit finds each kind of damage. */
class AuditTest {

  private final Books books = new Books();
  private final Map<UUID, Order> ledger = new HashMap<>();

  private Order written(Order order) {
    ledger.put(order.id(), order);
    return order;
  }

  private List<String> findings(Long... balances) {
    return Audit.of(100, List.of(balances), ledger, books).findings();
  }

  @Test
  void whatAgreesIsRight() {
    books.done(written(Order.of(1, 2, 30)));
    books.refused(Order.of(1, 2, 1));
    books.doubtful(Order.of(1, 2, 2));
    books.doubtful(written(Order.of(2, 1, 10)));

    assertThat(findings(80L, 120L)).isEmpty();
  }

  @Test
  void moneyThatIsGoneIsFound() {
    assertThat(findings(100L, 90L))
        .containsExactly(
            "the accounts hold 1.90 in all instead of 2.00",
            "account 2 holds 0.90, but 1.00 by the ledger");
  }

  @Test
  void anOverwrittenBalanceIsFoundEvenIfTheSumIsRight() {
    books.done(written(Order.of(1, 2, 30)));

    assertThat(findings(100L, 100L))
        .containsExactly(
            "account 1 holds 1.00, but 0.70 by the ledger",
            "account 2 holds 1.00, but 1.30 by the ledger");
  }

  @Test
  void aTransferThatWasAnswered200AndIsNotInTheLedgerIsFound() {
    books.done(Order.of(1, 2, 30));

    assertThat(findings(100L, 100L)).singleElement().asString().contains("200", "has null");
  }

  @Test
  void aTransferThatIsWrittenDifferentlyIsFound() {
    Order asked = Order.of(1, 2, 30);
    books.done(asked);
    written(new Order(asked.id(), 1, 2, 31, null));

    assertThat(findings(69L, 131L)).singleElement().asString().contains("200", "cents=31");
  }

  @Test
  void aRefusedTransferInTheLedgerIsFound() {
    books.refused(written(Order.of(1, 2, 30)));

    assertThat(findings(70L, 130L)).singleElement().asString().endsWith("but is in the ledger");
  }

  @Test
  void aTransferThatNobodyAskedForIsFound() {
    written(Order.of(1, 2, 30));

    assertThat(findings(70L, 130L)).singleElement().asString().endsWith("nobody knows of it");
  }

  @Test
  void anAnswerThatNothingExplainsIsFound() {
    books.count(Order.of(1, 2, 30), new Answer(500, "{}"));

    assertThat(findings(100L, 100L)).singleElement().asString().contains("status=500");
  }
}
