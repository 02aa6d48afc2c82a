package dev.fencing.spring;

import dev.fencing.jdbc.FenceBusyException;
import dev.fencing.jdbc.FencingException;
import dev.fencing.jdbc.LeaseUnavailableException;
import dev.fencing.jdbc.RefusedBatchException;
import dev.fencing.jdbc.StaleTokenException;
import dev.fencing.jdbc.UpdateOutcome;
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

  private static final String RETRY_AFTER_SECONDS = "1";

  /** 412: a newer holder exists, and the same token will be refused for ever. */
  @ExceptionHandler
  ResponseEntity<ProblemDetail> stale(StaleTokenException refused) {
    return answer(staleProblem(refused));
  }

  /** 412 if a row is stale, whatever the first refusal is. */
  @ExceptionHandler
  ResponseEntity<ProblemDetail> refusedBatch(RefusedBatchException refused) {
    if (refused.getCause() instanceof StaleTokenException first) {
      return answer(staleProblem(first));
    }
    boolean stale =
        refused.verdicts().stream().anyMatch(verdict -> verdict.outcome() == UpdateOutcome.STALE);
    return answer(
        stale
            ? problem(HttpStatus.PRECONDITION_FAILED, "Stale fencing token", refused)
            : problem(HttpStatus.INTERNAL_SERVER_ERROR, "Refused batch", refused));
  }

  /** 503: nothing was written, and the lock or the fence may be free in a moment. */
  @ExceptionHandler({LeaseUnavailableException.class, FenceBusyException.class})
  ResponseEntity<ProblemDetail> busy(Exception thrown) {
    FencingException busy = Unwrapped.within(thrown);
    return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
        .header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS)
        .body(problem(HttpStatus.SERVICE_UNAVAILABLE, "Busy", busy == null ? thrown : busy));
  }

  private static ProblemDetail staleProblem(StaleTokenException refused) {
    ProblemDetail problem = problem(HttpStatus.PRECONDITION_FAILED, "Stale fencing token", refused);
    problem.setProperty("resource", refused.resource());
    // As text: the numbers of JavaScript end at 2^53.
    problem.setProperty("presentedToken", Long.toString(refused.presentedToken()));
    problem.setProperty("storedToken", Long.toString(refused.storedToken()));
    problem.setProperty("presentedGeneration", refused.presentedGeneration());
    problem.setProperty("storedGeneration", refused.storedGeneration());
    return problem;
  }

  private static ProblemDetail problem(HttpStatus status, String title, Exception why) {
    String message = why.getMessage();
    ProblemDetail problem =
        message == null
            ? ProblemDetail.forStatus(status)
            : ProblemDetail.forStatusAndDetail(status, message);
    problem.setTitle(title);
    return problem;
  }

  private static ResponseEntity<ProblemDetail> answer(ProblemDetail problem) {
    return ResponseEntity.of(problem).build();
  }
}
