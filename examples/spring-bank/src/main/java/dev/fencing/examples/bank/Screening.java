package dev.fencing.examples.bank;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/** Stands for a service elsewhere that has to agree to each transfer, and takes its time. */
@Component
class Screening {

  /** From here on a transfer is large: 10,000.00. */
  static final long LARGE = 1_000_000;

  private final BankProperties properties;

  Screening(BankProperties properties) {
    this.properties = properties;
  }

  void ask(TransferOrder order) {
    Duration time = order.cents() >= LARGE ? properties.largeScreening() : properties.screening();
    try {
      TimeUnit.NANOSECONDS.sleep(time.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while " + order + " was screened", e);
    }
  }
}
