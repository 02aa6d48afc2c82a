package dev.fencing.examples.bank;

import dev.fencing.jdbc.FencingException;
import org.springframework.dao.DataAccessException;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.TransactionException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * The answer where the database cannot be had. Without an order, so it comes after spring-fencing,
 * which answers 412 to a stale holder and 503 where a lock or a fence is busy.
 */
@RestControllerAdvice
class DatabaseProblems {

  @ExceptionHandler({DataAccessException.class, TransactionException.class, FencingException.class})
  ResponseEntity<ProblemDetail> unavailable(RuntimeException e) {
    return BankProblems.unavailable(e);
  }
}
