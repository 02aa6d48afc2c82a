package dev.fencing.examples.bank.demo;

/** The demo did not get to its end; says nothing about the bank. */
final class DemoException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  DemoException(String message) {
    super(message);
  }
}
