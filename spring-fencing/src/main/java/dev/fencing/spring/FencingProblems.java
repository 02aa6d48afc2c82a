package dev.fencing.spring;

import static java.lang.System.Logger.Level.ERROR;
import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import dev.fencing.jdbc.FenceBusyException;
import dev.fencing.jdbc.FencingException;
import dev.fencing.jdbc.LeaseUnavailableException;
import dev.fencing.jdbc.RefusedBatchException;
import dev.fencing.jdbc.StaleTokenException;
import dev.fencing.jdbc.UnknownOutcomeException;
import dev.fencing.jdbc.UpdateOutcome;
import java.sql.SQLException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * What the fence has refused as answers to HTTP requests, where the exception is thrown or is a
 * cause of what is thrown.
 *
 * <p>In front of handlers without an order, so that one for every exception does not hide these.
 */
@RestControllerAdvice
@Order(FencingProblems.ORDER)
final class FencingProblems {

  static final int ORDER = Ordered.LOWEST_PRECEDENCE - 100;

  private static final System.Logger LOG = System.getLogger(FencingProblems.class.getName());

  private static final String RETRY_AFTER_SECONDS = "1";

  /** 412: a newer holder exists, and the same token will be refused for ever. */
  @ExceptionHandler
  ResponseEntity<ProblemDetail> stale(StaleTokenException refused) {
    LOG.log(INFO, "answered 412: {0}", refused.getMessage());
    ProblemDetail problem =
        problem(
            HttpStatus.PRECONDITION_FAILED,
            "Stale fencing token",
            "A newer holder has taken over. Nothing was written, and this token will never be accepted again.");
    problem.setProperty("resource", refused.resource());
    // As text: the numbers of JavaScript end at 2^53.
    problem.setProperty("presentedToken", Long.toString(refused.presentedToken()));
    problem.setProperty("storedToken", Long.toString(refused.storedToken()));
    problem.setProperty("presentedGeneration", refused.presentedGeneration());
    problem.setProperty("storedGeneration", refused.storedGeneration());
    return answer(problem);
  }

  /**
   * What else the fence throws: 412 if it is for a stale token in the end, 503 if nothing was
   * written and it may be better in a moment, and 500 if somebody has to look.
   */
  @ExceptionHandler
  ResponseEntity<ProblemDetail> failed(FencingException failure) {
    StaleTokenException stale = Unwrapped.within(failure, StaleTokenException.class);
    if (stale != null) {
      return stale(stale);
    }
    if (failure instanceof RefusedBatchException batch
        && batch.verdicts().stream().anyMatch(row -> row.outcome() == UpdateOutcome.STALE)) {
      LOG.log(INFO, "answered 412: {0}", failure.getMessage());
      return answer(
          problem(
              HttpStatus.PRECONDITION_FAILED,
              "Stale fencing token",
              "A newer holder has written a row of this batch. Nothing of it was written."));
    }
    if (passes(failure)) {
      LOG.log(WARNING, "answered 503: {0}", failure.getMessage());
      return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
          .header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS)
          .body(
              problem(
                  HttpStatus.SERVICE_UNAVAILABLE,
                  "Busy",
                  "The lock, the fence or the database is not free. Nothing was written; try again."));
    }
    LOG.log(ERROR, "answered 500", failure);
    return answer(
        problem(
            HttpStatus.INTERNAL_SERVER_ERROR,
            "Fencing failed",
            failure instanceof UnknownOutcomeException
                ? "It is not known whether this was done. Look before you try again."
                : "This was not done."));
  }

  private static boolean passes(FencingException failure) {
    return failure instanceof LeaseUnavailableException
        || failure instanceof FenceBusyException
        || (failure.getClass() == FencingException.class
            && Unwrapped.within(failure, SQLException.class) != null);
  }

  /** Without the message of the exception, which names hosts, sessions and statements. */
  private static ProblemDetail problem(HttpStatus status, String title, String detail) {
    ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
    problem.setTitle(title);
    return problem;
  }

  private static ResponseEntity<ProblemDetail> answer(ProblemDetail problem) {
    return ResponseEntity.of(problem).build();
  }
}
