package dev.fencing.examples.dropin.demo;

import dev.fencing.examples.job.demo.Backstage;
import dev.fencing.examples.job.demo.Servers;
import dev.fencing.examples.job.demo.Timeline;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The switch of docs/rolling-switch.md, played with real processes.
 *
 * <p>Of three instances, app-1 and app-2 are switched one by one, and app-3 is forgotten. In steps
 * 0, 1 and 3 app-1 and app-3 work at the same time under one lock. In each of these and in step 4,
 * app-2 is frozen between its read and its write until its successor has worked.
 */
final class RollingSwitch {

  // So long that no load of the machine ends one, for only app-2 is to lose its session.
  private static final Duration SESSION = Duration.ofSeconds(10);
  private static final Duration SHORT_SESSION = Duration.ofSeconds(1);
  private static final int WHILE_FROZEN = 5;
  private static final int SCENES = 10;

  private final Backstage backstage;
  private final Servers servers;
  private final ShopTables tables;
  private final Timeline timeline;
  private final int orders;
  private final Findings findings;
  private int articles;

  RollingSwitch(
      Backstage backstage,
      Servers servers,
      ShopTables tables,
      Timeline timeline,
      int orders,
      Findings findings) {
    this.backstage = backstage;
    this.servers = servers;
    this.tables = tables;
    this.timeline = timeline;
    this.orders = orders;
    this.findings = findings;
  }

  /** Plays it to its end. */
  void play() throws Exception {
    tables.create(SCENES);

    timeline.note("step 0: three instances on InterProcessMutex, with plain writes");
    Instance forgotten = start("app-3", Version.BEFORE, SESSION);
    Instance app1 = start("app-1", Version.BEFORE, SESSION);
    Instance app2 = start("app-2", Version.BEFORE, SHORT_SESSION);
    awaitReady(app1);
    awaitReady(app2);
    awaitReady(forgotten);
    workTogether("0", app1, forgotten);
    freeze("0", app2, app1, false);

    timeline.note("step 1: InterProcessFencedMutex in its place, one instance after the other");
    app1 = replace(app1, Version.BETWEEN, SESSION);
    workTogether("1", app1, forgotten);
    app2 = replace(app2, Version.BETWEEN, SHORT_SESSION);
    freeze("1", app2, app1, false);

    timeline.note("step 2: the guard table, which nobody uses yet");
    tables.createFence();

    timeline.note("step 3: raise and fenced writes, one instance after the other");
    app1 = replace(app1, Version.AFTER, SESSION);
    workTogether("3", app1, forgotten);
    freeze("3", app2, app1, false);
    app2 = replace(app2, Version.AFTER, SHORT_SESSION);

    timeline.note("step 4: app-1 and app-2 are switched, and fence each other");
    freeze("4", app2, app1, true);
    say("but app-3 was forgotten: it does not raise, so whoever it overtakes is not refused");
    freeze("4, not yet", app2, forgotten, false);

    timeline.note("enforced: PostgreSQL refuses who writes without a check");
    tables.enforce();
    writeUnchecked(forgotten);
    workTogether("enforced", app1);
    app1.end();
    app2.end();
    forgotten.end();
  }

  private Instance start(String app, Version version, Duration session) throws IOException {
    return Instance.start(app, version, session, backstage, servers);
  }

  private Instance replace(Instance old, Version version, Duration session)
      throws IOException, InterruptedException {
    Instance successor = start(old.app(), version, session);
    awaitReady(successor);
    old.end();
    say(successor.name() + " replaces " + old.name());
    return successor;
  }

  private static void awaitReady(Instance instance) throws InterruptedException {
    instance.await(InstanceMain.READY);
  }

  private void workTogether(String step, Instance... instances) throws Exception {
    String article = nextArticle();
    for (Instance instance : instances) {
      instance.tell("work " + article + " " + ShopTables.OPENING);
    }
    // Each until every other one has had its share, so that all are at work at the same time.
    for (Instance instance : instances) {
      for (int i = 0; i < orders; i++) {
        instance.await(InstanceMain.SHIPPED);
      }
    }
    int shipped = orders * instances.length;
    for (Instance instance : instances) {
      instance.tell("stop");
    }
    for (Instance instance : instances) {
      shipped += instance.awaitIdle();
      shipped += instance.awaitIdle(); // The one of the work, and the one of the stop.
    }
    List<String> versions = Stream.of(instances).map(i -> i.version().label()).toList();
    Audit audit = tables.audit(article);
    findings.add(new SideBySide(step, versions, shipped, audit));
    say(
        String.format(
            Locale.ROOT,
            "%s: %d orders, %d handovers, %d out of turn",
            Stream.of(instances).map(Instance::name).collect(Collectors.joining(" and ")),
            shipped,
            audit.handovers(),
            audit.outOfTurn()));
  }

  private void freeze(String step, Instance victim, Instance successor, boolean refusal)
      throws Exception {
    String article = nextArticle();
    victim.tell("pause " + article);
    victim.await(InstanceMain.PACKING);
    victim.freeze();
    long frozen = System.nanoTime();
    say(victim.name() + " is frozen between its read and its write");
    // It waits in the pipe: the first thing that the frozen one does when it wakes is to write.
    victim.tell("go");
    successor.tell("work " + article + " " + WHILE_FROZEN);
    successor.await(InstanceMain.SHIPPED);
    double after = (System.nanoTime() - frozen) / 1e9;
    int shipped = 1 + successor.awaitIdle();
    say(
        String.format(
            Locale.ROOT,
            "%.1f s later its session has expired; %s ships %d orders",
            after,
            successor.name(),
            shipped));
    victim.wake();
    String said = victim.next("shipped or refused");
    victim.awaitIdle();
    judge(step, article, victim, successor.version().label(), shipped, refusal, said);
  }

  private void writeUnchecked(Instance forgotten) throws Exception {
    String article = nextArticle();
    forgotten.tell("work " + article + " 1");
    String said = forgotten.next("refused");
    forgotten.awaitIdle();
    judge("enforced", article, forgotten, "nobody", 0, true, said);
  }

  private void judge(
      String step,
      String article,
      Instance writer,
      String successor,
      int shipped,
      boolean refusal,
      String said)
      throws SQLException {
    Audit audit = tables.audit(article);
    findings.add(
        new LateWrite(step, writer.version().label(), successor, shipped, refusal, said, audit));
    say(
        String.format(
            Locale.ROOT,
            "%s writes: %,d pieces on the shelf, %,d by the orders; it says: %s",
            writer.name(),
            audit.onShelf(),
            audit.shouldBe(),
            said));
  }

  private void say(String text) {
    timeline.note("        " + text);
  }

  /** Each scene has an article of its own, so that the losses of one do not show in the next. */
  private String nextArticle() {
    articles++;
    return "article-" + articles;
  }
}
