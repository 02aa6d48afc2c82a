package dev.fencing.examples.bank;

import dev.fencing.jdbc.UnknownOutcomeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * The answers to what the bank refuses, and to a lost COMMIT: the ids of transfers make it harmless
 * to ask again.
 */
@RestControllerAdvice
@Order(Ordered.HIGHEST_PRECEDENCE)
class BankProblems {

  private static final Logger LOG = LoggerFactory.getLogger(BankProblems.class);

  private final LiveView live;

  BankProblems(LiveView live) {
    this.live = live;
  }

  @ExceptionHandler
  ProblemDetail stale(StaleStatementException e) {
    live.refused(e.resource(), e.presented(), e.stored());
    ProblemDetail problem = problem(HttpStatus.PRECONDITION_FAILED, "Stale fencing token", e);
    problem.setProperty("resource", e.resource());
    // As text: the numbers of JavaScript end at 2^53.
    problem.setProperty("presentedToken", Long.toString(e.presented()));
    problem.setProperty("storedToken", Long.toString(e.stored()));
    return problem;
  }

  @ExceptionHandler
  ProblemDetail insufficient(InsufficientFundsException e) {
    return problem(HttpStatus.CONFLICT, "Insufficient funds", e);
  }

  /** Two requests with one id for different accounts, at the same moment. */
  @ExceptionHandler
  ProblemDetail conflict(DataIntegrityViolationException e) {
    LOG.warn("answered 409", e);
    return ProblemDetail.forStatusAndDetail(
        HttpStatus.CONFLICT, "Another transfer has this id, or an account is gone.");
  }

  /** The COMMIT got no answer. */
  @ExceptionHandler
  ResponseEntity<ProblemDetail> unknown(UnknownOutcomeException e) {
    return unavailable(e);
  }

  static ResponseEntity<ProblemDetail> unavailable(Exception e) {
    LOG.warn("answered 503", e);
    ProblemDetail problem =
        ProblemDetail.forStatusAndDetail(
            HttpStatus.SERVICE_UNAVAILABLE,
            "It is not known whether this was done. Ask again with the same id: it is done once.");
    problem.setTitle("Unavailable");
    return ResponseEntity.status(problem.getStatus())
        .header(HttpHeaders.RETRY_AFTER, "1")
        .body(problem);
  }

  private static ProblemDetail problem(HttpStatus status, String title, Exception why) {
    ProblemDetail problem =
        ProblemDetail.forStatusAndDetail(status, String.valueOf(why.getMessage()));
    problem.setTitle(title);
    return problem;
  }
}
