/*
 * The fencing protocol as a model, of which spin tries every order in which its steps can happen.
 * README.md explains it to someone who has never seen Promela; `check` runs it.
 *
 * Some clients take turns with a lock whose lease can end at any step, without anybody being told. A
 * holder raises the fence, reads, and writes what it computed from the read. Every step can be delayed
 * for as long as you like, or for ever: any other step may come before it.
 */

/* Guards: what a check lets pass. */
#define NONE          0 /* everything: there is a lock and no fence */
#define AT_MOST       1 /* stored <= mine */
#define BELOW         2 /* stored <  mine */
#define EQUAL         3 /* stored == mine */

/* What a holder does when the answer to a COMMIT never comes. */
#define GOES_ON       0 /* with the same handle, as if nothing had been written */
#define GIVES_UP      1 /* the handle is dead: it acquires and raises anew */
#define RENEWS        2 /* it gets a new raise id for the same token, then goes on */
#define RAISES_AGAIN  3 /* it raises the same token once more, then goes on */

/* The row of the table. What the command line leaves out (-DGUARD=AT_MOST) is as in the protocol. */
#ifndef GUARD
#define GUARD EQUAL
#endif
#ifndef AFTER
#define AFTER RENEWS
#endif
#ifndef RAISE
#define RAISE 1           /* 0: a holder raises nothing; each write stores its token */
#endif
#ifndef RAISE_ID
#define RAISE_ID (GUARD == EQUAL) /* every raise draws an id, which is compared as well */
#endif
#ifndef ROW_VERSION
#define ROW_VERSION 0     /* 1: a write also wants the row to be as it was read */
#endif
#ifndef RESTART
#define RESTART 0         /* 1: the lock service may lose its counter, once, and begin again at 1 */
#endif

#ifndef REPEATS
#define REPEATS 0         /* 1: a raise or a renewal may be sent twice, the second copy landing late */
#endif

/* Mechanisms of the protocol, to be taken out one by one. */
#ifndef RAISE_FIRST
#define RAISE_FIRST 1     /* 0: a holder may read before it raises */
#endif
#ifndef RAISE_COMPARES
#define RAISE_COMPARES 1  /* 0: a raise stores its token whatever is there */
#endif
#ifndef RAISE_COMPARES_ID
#define RAISE_COMPARES_ID 1 /* 0: a raise wins over its own token, whatever the raise id */
#endif
#ifndef RAISE_WAITS
#define RAISE_WAITS 1     /* 0: a raise does not wait for transactions that have passed their check */
#endif
#ifndef RENEWAL_WAITS
#define RENEWAL_WAITS 1   /* 0: a renewal does not wait for them */
#endif
#ifndef RENEWAL_DRAWS
#define RENEWAL_DRAWS 1   /* 0: a renewal keeps the raise id */
#endif
#ifndef RENEWAL_COMPARES_ID
#define RENEWAL_COMPARES_ID 1 /* 0: a renewal looks at the token only */
#endif
#ifndef CHECK_LOCKS
#define CHECK_LOCKS 1     /* 0: a check is a plain SELECT, which keeps no lock */
#endif
#ifndef LOCK_IS_COUNTED
#define LOCK_IS_COUNTED 1 /* 0: the first transaction to end lets go the lock of all */
#endif
#ifndef POISON
#define POISON 1          /* 0: what follows a failed check can be committed */
#endif

/* How much is tried. */
#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef HOLDS
#define HOLDS 2           /* acquisitions of each client */
#endif
#ifndef WRITES
#define WRITES 2          /* transactions of each hold */
#endif
#ifndef PLACES
#define PLACES 2          /* transactions of a client at a time, those included that it has forgotten */
#endif
#ifndef ITEMS
#define ITEMS 2           /* rows that the one fence guards */
#endif

#if !RAISE && GUARD == EQUAL
#error without a raise no token would ever be in the fence
#endif
#if PLACES > 3 || ITEMS > 2
#error unused() and the steps of Transaction() know of three places and two items
#endif

/* ---- The lock service, which knows the token of its latest grant. ---- */

byte last_token;
bool restarted;

/* ---- The database: the fence, and how many transactions have it locked. ---- */

byte fence_token;
byte fence_id;            /* the raise id, 0 where there is none */
byte sharers;             /* open transactions that have passed the check */

/* ---- The clients. ---- */

/*
 * OUT       no hold, or one with which it begins nothing any more
 * GRANTED   has a token and has not raised it
 * HOLDING   has a handle and works
 * IN_DOUBT  got no answer; renews before it begins anything
 */
mtype = { OUT, GRANTED, HOLDING, IN_DOUBT };

typedef Holder {
  mtype phase = OUT;
  byte holds;             /* begun so far */
  byte writes;            /* begun in this hold */
  byte token;             /* the handle: token and raise id */
  byte id
};
Holder holder[CLIENTS];

#if REPEATS
/* A raise (replaces is 0) or a renewal that is still on its way; token 0 if there is none. */
typedef Request {
  byte token;
  byte id;
  byte replaces
};
Request late[CLIENTS];

inline forget_late(c) {
  late[c].token = 0;
  late[c].id = 0;
  late[c].replaces = 0
}
#endif

/*
 * FREE      none
 * PENDING   has read and not reached the database since: a frozen thread has it, or all of it, COMMIT
 *           included, is on its way through the network; to everybody else that is the same
 * CHECKED   has passed the check, and reads next
 * OPEN      has passed the check and has read, before it or behind it; COMMIT may be on its way
 * UNCHECKED has failed the check, and nothing has stopped it
 */
mtype = { FREE, PENDING, CHECKED, OPEN, UNCHECKED };

typedef Transaction {
  mtype state = FREE;
  byte item;              /* that it reads and writes */
  bool fresh;             /* nobody has written the item since this transaction has read it */
  bool forgotten;         /* its client does not wait for its answer any more */
  byte token;             /* the handle it was begun with */
  byte id
};
Transaction tx[CLIENTS * PLACES]; /* A's, then B's, …; each client's without gaps */

#define FIRST(c) (c * PLACES)
#define LAST(c)  (c * PLACES + PLACES - 1)

/* ---- What must never become true. ---- */

bool lost_update;         /* a write landed on something else than what it was computed from */
bool write_past_read;     /* a write landed behind a read by a higher token */
bool tokens_fell;         /* a write landed behind a write by a higher token */
bool fence_fell;          /* the fence went back */

byte highest_read;        /* the highest token that has read */
byte highest_written;     /* the highest token that has written */

ltl NoLostUpdate    { [] !lost_update }
ltl NoWritePastRead { [] !write_past_read }
ltl TokensInOrder   { [] !tokens_fell }
ltl FenceMonotone   { [] !fence_fell }
ltl NothingWritten  { [] (highest_written == 0) } /* SomethingWritten: this one must not hold */

/* All of the invariants that are expected to hold, so that one search is enough for them. */
#ifndef NoLostUpdate_FAILS
#define NoLostUpdate_FAILS false
#endif
#ifndef NoWritePastRead_FAILS
#define NoWritePastRead_FAILS false
#endif
#ifndef TokensInOrder_FAILS
#define TokensInOrder_FAILS false
#endif
#ifndef FenceMonotone_FAILS
#define FenceMonotone_FAILS false
#endif
ltl AsExpected {
  [] !((lost_update && !NoLostUpdate_FAILS) || (write_past_read && !NoWritePastRead_FAILS)
    || (tokens_fell && !TokensInOrder_FAILS) || (fence_fell && !FenceMonotone_FAILS))
}

/* ---- Parts of steps. A d_step happens at once, like one statement or one COMMIT of a database. ---- */

#ifndef SCRATCH
#define SCRATCH hidden    /* no part of the state */
#endif
SCRATCH byte i, n, taken; /* for use within a step */

/*
 * A raise id is random: one that nobody has with this token. Here the lowest of those, since ids are
 * compared for equality only, and so there are fewer states.
 */
inline draw_id(c, drawn) {
#if !RAISE_ID
  skip
#else
  n = 0;
  do
  :: n++;
     /* What it replaces in the same step can be drawn again, for then nobody has it any more. */
     taken = (REPEATS && fence_token == holder[c].token && fence_id == n);
     for (i : 0 .. CLIENTS - 1) {
       taken = taken || ((REPEATS || i != c)
         && holder[i].token == holder[c].token && holder[i].id == n);
#if REPEATS
       taken = taken || (late[i].token == holder[c].token && (late[i].id == n || late[i].replaces == n))
#endif
     }
     for (i : 0 .. CLIENTS * PLACES - 1) {
       taken = taken || (tx[i].token == holder[c].token && tx[i].id == n)
     }
     if
     :: !taken -> break
     :: else
     fi
  od;
  drawn = n
#endif
}

inline store_fence(stored) {
  fence_fell = fence_fell || stored < fence_token;
  fence_token = stored
}

inline forget_all(c) {
  for (i : FIRST(c) .. LAST(c)) {
    tx[i].forgotten = (tx[i].state != FREE)
  }
}

inline let_go(c) {
  forget_all(c);
  holder[c].phase = OUT;
  holder[c].writes = 0;
  holder[c].token = 0;
  holder[c].id = 0
}

inline unlock(t) {
#if !RAISE || !CHECK_LOCKS
  skip
#else
  if
  :: (tx[t].state == CHECKED || tx[t].state == OPEN) && sharers > 0 ->
     sharers = (LOCK_IS_COUNTED -> sharers - 1 : 0)
  :: else
  fi
#endif
}

/* Transaction t has ended; those behind it move up, so that equal situations are one state. */
inline remove(c, t) {
  for (i : t .. LAST(c)) {
    if
    :: i < LAST(c) ->
       tx[i].state = tx[i + 1].state;
       tx[i].item = tx[i + 1].item;
       tx[i].fresh = tx[i + 1].fresh;
       tx[i].forgotten = tx[i + 1].forgotten;
       tx[i].token = tx[i + 1].token;
       tx[i].id = tx[i + 1].id
    :: else ->
       tx[i].state = FREE;
       tx[i].item = 0;
       tx[i].fresh = false;
       tx[i].forgotten = false;
       tx[i].token = 0;
       tx[i].id = 0
    fi
  };
  skip /* a d_step must not end with a loop */
}

#define NAME(c) ('A' + (c))
#define SAY(c, what) printf("%c ", NAME(c)); printf(what); \
  printf(" token %d, raise id %d\n", holder[c].token, holder[c].id)
#define SAY_OF(c, t, what) printf("%c ", NAME(c)); printf(what); \
  printf(" item %d, token %d, raise id %d", tx[t].item, tx[t].token, tx[t].id); \
  if \
  :: tx[t].forgotten -> printf("; its client does not wait for that any more\n") \
  :: else -> printf("\n") \
  fi
#define SAY_FENCE printf("   (the fence is at token %d, raise id %d)\n", fence_token, fence_id)

/* ---- A client: acquire, raise, work (below), acquire anew. ---- */

/*
 * Whether a raise wins: always over a lower token, never over a higher one, and over its own only if it
 * has happened already and this is a repetition. Without raise ids nobody can tell that from somebody
 * else's raise, and it must win, or a raise whose answer was lost could never be repeated.
 */
#if !RAISE_COMPARES
#define wins(with, drawn) true
#elif RAISE_ID && RAISE_COMPARES_ID
#define wins(with, drawn) (fence_token < with || (fence_token == with && fence_id == drawn))
#else
#define wins(with, drawn) (fence_token <= with)
#endif

/* Whether a renewal finds what it replaces, or, where it is a repetition, what it has made of it. */
#define renewable(with, old, new) (fence_token == with \
  && (!RENEWAL_COMPARES_ID || fence_id == old || fence_id == new))

#define NO_ID 255 /* that nobody ever has */
#if REPEATS /* the id of the renewal that client c has sent already */
#define renewal(c) (late[c].token == holder[c].token && late[c].replaces == holder[c].id \
  -> late[c].id : NO_ID)
#else
#define renewal(c) NO_ID
#endif

proctype Client(byte c) {
  do
  /*
   * The lock is granted. As the lease of a holder can end at any step, a grant can come at any step.
   * A is whoever comes first, B whoever comes next.
   */
  :: d_step {
       (holder[c].holds < HOLDS && (c == 0 || holder[c - 1].holds > 0)) ->
       let_go(c);
       last_token++;
       holder[c].holds++;
       holder[c].token = last_token;
       holder[c].phase = (RAISE -> GRANTED : HOLDING);
       printf("%c acquires the lock, which nobody has or whose lease has ended: token %d\n",
         NAME(c), last_token)
     }
#if RAISE
  :: d_step {
       (holder[c].phase == GRANTED && (!RAISE_WAITS || sharers == 0)) ->
       if
       :: wins(holder[c].token, (holder[c].id > 0 -> holder[c].id : NO_ID)) ->
          if
          :: holder[c].id == 0 -> draw_id(c, holder[c].id)
          :: else /* drawn when it was sent for the first time */
          fi;
          store_fence(holder[c].token);
          fence_id = holder[c].id;
          holder[c].phase = HOLDING;
#if !RAISE_FIRST
          for (i : FIRST(c) .. LAST(c)) {
            tx[i].id = (tx[i].forgotten || tx[i].state == FREE -> tx[i].id : fence_id)
          }
#endif
          SAY(c, "raises the fence:")
       :: else ->
          SAY(c, "is refused the raise of");
          SAY_FENCE;
          let_go(c)
       fi
     }
#endif
#if AFTER == RENEWS
  :: d_step {
       (holder[c].phase == IN_DOUBT && (!RENEWAL_WAITS || sharers == 0)) ->
       if
       :: renewable(holder[c].token, holder[c].id, renewal(c)) ->
          forget_all(c);
          if
          :: renewal(c) != NO_ID -> holder[c].id = renewal(c)
          :: renewal(c) == NO_ID && RENEWAL_DRAWS -> draw_id(c, holder[c].id)
          :: else
          fi;
          fence_id = holder[c].id;
          holder[c].phase = HOLDING;
          SAY(c, "renews its handle:")
       :: else ->
          SAY(c, "is refused the renewal of");
          SAY_FENCE;
          let_go(c)
       fi
     }
#endif
#if REPEATS
  /* A raise, or a renewal, is sent and gets no answer; its client repeats it (above), or acquires anew. */
  :: d_step {
       (holder[c].phase == GRANTED && holder[c].id == 0 && late[c].token == 0) ->
       draw_id(c, holder[c].id);
       late[c].token = holder[c].token;
       late[c].id = holder[c].id;
       SAY(c, "gets no answer to its raise of")
     }
  :: d_step {
       (holder[c].phase == IN_DOUBT && late[c].token == 0) ->
       draw_id(c, late[c].id);
       late[c].token = holder[c].token;
       late[c].replaces = holder[c].id;
       SAY(c, "gets no answer to its renewal of")
     }
  :: d_step {
       (late[c].token > 0 && (!RAISE_WAITS || sharers == 0)) ->
       if
       :: ((late[c].replaces == 0 && wins(late[c].token, late[c].id))
            || (late[c].replaces > 0
              && renewable(late[c].token, late[c].replaces, late[c].id))) ->
          store_fence(late[c].token);
          fence_id = late[c].id
       :: else
       fi;
       printf("A late raise or renewal of %c arrives: token %d, raise id %d instead of %d\n",
         NAME(c), late[c].token, late[c].id, late[c].replaces);
       SAY_FENCE;
       forget_late(c)
     }
  :: d_step {
       late[c].token > 0 ->
       printf("A late raise or renewal of %c never arrives\n", NAME(c));
       forget_late(c)
     }
#endif
#if RESTART
  :: d_step {
       (c == 0 && !restarted) ->
       restarted = true;
       last_token = 0;
       printf("The lock service is rebuilt from nothing: its next token is 1\n")
     }
#endif
  od
}

/* ---- Work: transaction t of client c reads an item, and writes what it computed from that. ---- */

#define uses(t, x) (tx[t].state != FREE && !tx[t].forgotten && tx[t].item == x)
#if PLACES == 1
#define unused(c, x) (!uses(FIRST(c), x))
#elif PLACES == 2
#define unused(c, x) (!uses(FIRST(c), x) && !uses(FIRST(c) + 1, x))
#else
#define unused(c, x) (!uses(FIRST(c), x) && !uses(FIRST(c) + 1, x) && !uses(FIRST(c) + 2, x))
#endif

/*
 * Two transactions of one hold never work on one item side by side; that is for the application to see
 * to. But of one that it has forgotten it does not know that it is still there.
 */
#define may_begin(c, t, x) (tx[t].state == FREE && (t == FIRST(c) || tx[t - 1].state != FREE) \
  && holder[c].writes < WRITES && unused(c, x) \
  && (holder[c].phase == HOLDING || (!RAISE_FIRST && holder[c].phase == GRANTED)))

inline begin(c, t, x) {
  holder[c].writes++;
  tx[t].item = x;
  tx[t].token = holder[c].token;
  tx[t].id = holder[c].id
}

inline read(c, t) {
  tx[t].fresh = true;
  highest_read = (tx[t].token > highest_read -> tx[t].token : highest_read);
  SAY_OF(c, t, "reads")
}

/* Whether transaction t passes the check now. */
#if GUARD == NONE
#define passes(t) true
#elif GUARD == AT_MOST
#define passes(t) (fence_token <= tx[t].token)
#elif GUARD == BELOW
#define passes(t) (fence_token < tx[t].token)
#else
#define passes(t) (fence_token == tx[t].token && fence_id == tx[t].id)
#endif

/* The first statement of the transaction that writes; its lock is kept until that has ended. */
inline check(c, t, next) {
  if
  :: passes(t) ->
     sharers = sharers + CHECK_LOCKS;
     tx[t].state = next;
     SAY_OF(c, t, "passes the check for")
  :: else ->
     SAY_OF(c, t, "is refused by the check for");
     SAY_FENCE;
#if POISON
     remove(c, t)
#else
     if
     :: next == CHECKED -> read(c, t)
     :: else
     fi;
     tx[t].state = UNCHECKED
#endif
  fi
}

/* The write lands: what all the rest is about. */
inline land(c, t) {
  SAY_OF(c, t, "writes");
  if
  :: !tx[t].fresh ->
     lost_update = true;
     printf("   LOST UPDATE: somebody has written the item since that read\n")
  :: else
  fi;
  if
  :: tx[t].token < highest_read ->
     write_past_read = true;
     printf("   WRITE PAST READ: token %d has read before\n", highest_read)
  :: else
  fi;
  if
  :: tx[t].token < highest_written ->
     tokens_fell = true;
     printf("   TOKENS OUT OF ORDER: token %d has written before\n", highest_written)
  :: else -> highest_written = tx[t].token
  fi;
  for (i : 0 .. CLIENTS * PLACES - 1) {
    tx[i].fresh = tx[i].fresh && tx[i].item != tx[t].item
  }
}

/* The read comes first, by itself; the check comes later, with the write. */
inline read_first(c, t, x) {
  d_step {
    may_begin(c, t, x) ->
    begin(c, t, x);
    read(c, t);
    tx[t].state = PENDING
  }
}

/* The read comes behind the check, in the same transaction. */
inline check_first(c, t, x) {
  d_step {
    (may_begin(c, t, x) && holder[c].phase == HOLDING) ->
    begin(c, t, x);
    check(c, t, CHECKED)
  }
}

proctype Work(byte c; byte t) {
  do
  :: read_first(c, t, 0)
#if ITEMS > 1
  :: read_first(c, t, 1)
#endif
#if RAISE
  :: d_step {
       tx[t].state == PENDING ->
       check(c, t, OPEN)
     }
  :: check_first(c, t, 0)
#if ITEMS > 1
  :: check_first(c, t, 1)
#endif
  :: d_step {
       tx[t].state == CHECKED ->
       read(c, t);
       tx[t].state = OPEN
     }
#endif
  /*
   * COMMIT arrives. The write compares the row's version in its own statement, if the guard does so.
   * Without a raise there is nothing but that statement, so it compares and stores the token, too.
   */
  :: d_step {
       (tx[t].state == OPEN || tx[t].state == UNCHECKED || (!RAISE && tx[t].state == PENDING)) ->
       if
       :: (RAISE || passes(t)) && (!ROW_VERSION || tx[t].fresh) ->
#if !RAISE && GUARD != NONE
          store_fence(tx[t].token);
#endif
          land(c, t)
       :: else ->
          SAY_OF(c, t, "is refused the write of")
       fi;
       unlock(t);
       remove(c, t)
     }
  /* It is rolled back, or what was on its way is lost. */
  :: d_step {
       tx[t].state != FREE ->
       SAY_OF(c, t, "fails, or its message is lost, with the write of");
       unlock(t);
       remove(c, t)
     }
  /* The client waits for the answer to COMMIT no longer. The write may still land, or not. */
  :: d_step {
       ((tx[t].state == PENDING || tx[t].state == OPEN)
         && !tx[t].forgotten && holder[c].phase == HOLDING) ->
       SAY_OF(c, t, "gets no answer to the COMMIT of its write of");
       tx[t].forgotten = true;
#if AFTER == GIVES_UP
       let_go(c)
#elif AFTER == RENEWS
       holder[c].phase = IN_DOUBT
#elif AFTER == RAISES_AGAIN
       forget_all(c);
       holder[c].phase = GRANTED
#endif
     }
  od
}

init {
  atomic {
    for (i : 0 .. CLIENTS - 1) { run Client(i) }
    for (i : 0 .. CLIENTS * PLACES - 1) { run Work(i / PLACES, i) }
  }
}
