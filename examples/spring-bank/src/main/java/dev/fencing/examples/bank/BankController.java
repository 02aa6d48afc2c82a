package dev.fencing.examples.bank;

import dev.fencing.curator.FencingToken;
import dev.fencing.spring.FencedLocks;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The bank over HTTP. */
@RestController
class BankController {

  /** The token that a balance was read at; in a request, the one that it was decided on. */
  static final String TOKEN = "Fencing-Token";

  /** An account as clients see it. */
  record Balance(long id, String owner, long cents) {
    static Balance of(Account account) {
      return new Balance(account.id(), account.owner(), account.cents());
    }
  }

  /** A transfer as clients see it. */
  record Receipt(UUID id, long from, long to, long cents) {}

  private final AccountRepository accounts;
  private final TransferService service;
  private final FencedLocks locks;

  BankController(AccountRepository accounts, TransferService service, FencedLocks locks) {
    this.accounts = accounts;
    this.service = service;
    this.locks = locks;
  }

  @GetMapping("/accounts")
  List<Balance> accounts() {
    return accounts.findAllByOrderById().stream().map(Balance::of).toList();
  }

  @GetMapping("/accounts/{id}")
  ResponseEntity<Balance> account(@PathVariable long id) {
    Account account = accounts.findById(id).orElseThrow(() -> unknown(id));
    var answer = ResponseEntity.ok();
    if (account.token() != 0) {
      answer.header(TOKEN, new FencingToken(lockPath(id), account.token()).toString());
    }
    return answer.body(Balance.of(account));
  }

  /** To be repeated with the same id when no answer comes, or 503: it is done once. */
  @PutMapping("/transfers/{id}")
  Receipt transfer(
      @PathVariable UUID id,
      @RequestBody TransferOrder order,
      @RequestHeader(name = TOKEN, required = false) @Nullable String seen) {
    Long token = seen == null ? null : token(seen, order.from());
    for (long account : List.of(order.from(), order.to())) {
      if (!accounts.existsById(account)) { // Before there is a lock of that name.
        throw unknown(account);
      }
    }
    Transfer done = service.transfer(id, order, token);
    if (!done.order().equals(order)) {
      throw new ResponseStatusException(
          HttpStatus.CONFLICT, "%s is the id of another transfer, %s".formatted(id, done.order()));
    }
    return new Receipt(id, order.from(), order.to(), order.cents());
  }

  private long token(String seen, long from) {
    FencingToken token;
    try {
      token = FencingToken.parse(seen);
    } catch (IllegalArgumentException e) {
      throw new ResponseStatusException(HttpStatus.BAD_REQUEST, TOKEN + ": " + e.getMessage(), e);
    }
    if (!token.lockPath().equals(lockPath(from))) {
      throw new ResponseStatusException(
          HttpStatus.BAD_REQUEST,
          "%s is of the lock %s, but account %d pays, whose lock is %s"
              .formatted(TOKEN, token.lockPath(), from, lockPath(from)));
    }
    return token.token();
  }

  private String lockPath(long account) {
    return locks.lockPath(TransferService.resource(account));
  }

  private static ResponseStatusException unknown(long account) {
    return new ResponseStatusException(HttpStatus.NOT_FOUND, "there is no account " + account);
  }
}
