package dev.fencing.harness.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.harness.checker.RandomRun;
import dev.fencing.harness.checker.Thresholds;
import dev.fencing.harness.history.FaultKind;
import dev.fencing.harness.history.LoggedWrite;
import dev.fencing.harness.history.Run;
import dev.fencing.harness.history.RunDirectory;
import dev.fencing.harness.history.RunEnd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

class ReportTest {

  private static final Run GOOD = new RandomRun(1, 3_000).run();

  private static final Meta META =
      new Meta("short", "2026-11-30", 42, new LinkedHashMap<>(Map.of("PostgreSQL", "18.6")));

  private static final Result PRODUCT = result("P1", GOOD.log());
  private static final Result CAUGHT = result("no fence", lostUpdates());
  private static final Result ESCAPED = result("no <raise>", GOOD.log());

  private static Result result(String arm, @Nullable List<LoggedWrite> log) {
    RunEnd end = Objects.requireNonNull(GOOD.end());
    RunEnd named =
        new RunEnd(
            arm,
            end.workload(),
            42,
            30,
            1000,
            250,
            0,
            0,
            0,
            null,
            end.healedAcquire(),
            null,
            null,
            List.of(),
            List.of("C4"));
    return Result.of(arm, new Run(GOOD.history(), log, GOOD.faults(), named, 0), Thresholds.FULL);
  }

  /** Three writes that say that they had read an older version. */
  private static List<LoggedWrite> lostUpdates() {
    List<LoggedWrite> log = new ArrayList<>(Objects.requireNonNull(GOOD.log()));
    for (int i = log.size() / 2, broken = 0; broken < 3; i++) {
      LoggedWrite write = log.get(i);
      if (write.readVer() > 0) {
        log.set(
            i,
            new LoggedWrite(
                write.op(),
                write.resource(),
                write.key(),
                write.token(),
                write.ver(),
                write.readVer() - 1,
                write.old(),
                write.fresh()));
        broken++;
      }
    }
    return log;
  }

  @Test
  void productThatIsValidAndMutantsThatAreCaughtAreAsItShouldBe() {
    Report good = new Report(META, List.of(PRODUCT, CAUGHT));
    Report bad = new Report(META, List.of(PRODUCT, CAUGHT, ESCAPED));

    assertThat(good.asItShould()).isTrue();
    assertThat(good.conclusion())
        .isEqualTo("1 of 1 runs of the product are valid; 1 of 1 mutants were caught");
    assertThat(bad.asItShould()).isFalse();
    assertThat(bad.conclusion())
        .isEqualTo(
            "1 of 1 runs of the product are valid; 1 of 2 mutants were caught, not: no <raise>");
    assertThat(new Report(META, List.of()).asItShould()).isFalse();
  }

  @Test
  void productThatIsUnknownIsNotAsItShouldBe() {
    Result unknown = result("P2", null);

    assertThat(new Report(META, List.of(unknown, CAUGHT)).asItShould()).isFalse();
    assertThat(Tables.verdict(unknown)).isEqualTo("UNKNOWN");
  }

  @Test
  void lostUpdatesAreCountedPerOvertakenHolderAndZeroHasABound() {
    assertThat(Tables.perThousand(0, 1_000)).isEqualTo("< 3.0");
    assertThat(Tables.perThousand(3, 60)).isEqualTo("50.0");
    assertThat(Tables.perThousand(0, 0)).isEqualTo("–");
    int overtaken = CAUGHT.measures().overtaken();
    assertThat(new Report(META, List.of(PRODUCT, CAUGHT)).terminal())
        .contains(Tables.perThousand(0, overtaken))
        .contains(Tables.perThousand(3, overtaken))
        .containsPattern("P1 +counter +pause holder")
        .doesNotContainPattern("no fence +counter +pause holder");
  }

  @Test
  void faultsAreCountedByKindWithWhatHappenedUnderThem() {
    FaultNumbers pauses = CAUGHT.faults().get(0);

    assertThat(CAUGHT.faults()).hasSize(1);
    assertThat(pauses.kind()).isEqualTo(FaultKind.PAUSE_HOLDER);
    assertThat(pauses.planned()).isEqualTo(GOOD.faults().size());
    assertThat(pauses.proved()).isEqualTo(GOOD.faults().size());
    assertThat(pauses.episodes()).isBetween(1, CAUGHT.measures().episodes().size());
    assertThat(pauses.refused()).isBetween(1, (int) CAUGHT.measures().stale().refused());
    assertThat(pauses.lost()).isBetween(1, 3);
    assertThat(PRODUCT.faults().get(0).lost()).isZero();
  }

  @Test
  void timesAreRankedByTheNearestOfThem() {
    assertThat(Spread.of(List.of())).isEqualTo(new Spread(0, 0, 0, 0));
    assertThat(Spread.of(List.of(3.0, 1.0, 2.0))).isEqualTo(new Spread(3, 2, 3, 3));
    assertThat(Spread.of(IntStream.rangeClosed(1, 200).asDoubleStream().boxed().toList()))
        .isEqualTo(new Spread(200, 100, 198, 200));
  }

  @Test
  void pageNeedsNothingElseAndIsWellFormed(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("report.html");

    new Report(META, List.of(PRODUCT, CAUGHT, ESCAPED)).writeHtml(file);

    String page = Files.readString(file);
    assertThat(page).contains("no &lt;raise&gt;").doesNotContain("no <raise>");
    assertThat(page).doesNotContain("http:").doesNotContain("https:").doesNotContain("<script");
    Matcher drawings =
        Pattern.compile("<svg class=\"timeline\".*?</svg>", Pattern.DOTALL).matcher(page);
    int count = 0;
    while (drawings.find()) {
      DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(new InputSource(new StringReader(drawings.group())));
      count++;
    }
    assertThat(count).isEqualTo(3);
  }

  @Test
  void timelineHasTheViolation() {
    assertThat(CAUGHT.timeline().why()).isEqualTo("around the first violation");
    assertThat(CAUGHT.timeline().marks())
        .extracting(Timeline.Mark::sign)
        .contains(Timeline.Sign.VIOLATION, Timeline.Sign.ACCEPTED, Timeline.Sign.REFUSED);
    assertThat(PRODUCT.timeline().marks())
        .extracting(Timeline.Mark::sign)
        .doesNotContain(Timeline.Sign.VIOLATION);
    assertThat(PRODUCT.timeline().bars()).hasSizeBetween(100, 300);
  }

  @Test
  void resultsKeepTheSectionsOfOtherProfiles(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("RESULTS.md");
    Report brief = new Report(META, List.of(PRODUCT));
    Report full = new Report(new Meta("long", "2026-12-01", 7, Map.of()), List.of(CAUGHT));

    brief.writeResults(file);
    full.writeResults(file);
    String both = Files.readString(file);
    brief.writeResults(file);

    assertThat(both)
        .contains("## Profile short", "* PostgreSQL 18.6", "* 2026-11-30, seed 42")
        .contains("## Profile long", "* 2026-12-01, seed 7");
    assertThat(both.indexOf("Profile long")).isLessThan(both.indexOf("Profile short"));
    assertThat(file).hasContent(both);
  }

  @Test
  void takeoverIsFromTheFaultToTheNextGrantAndOnlyOfWhoSleptTooLong() {
    // Worker 0 sleeps from 1 s to 4 s, worker 1 has asked at 0.5 s and is granted at 2.25 s.
    assertThat(PausedHolder.takeovers(3_000, 5_000)).containsExactly(1.25);
    // It wakes up and gives the lock back before somebody else has it: nothing was taken over,
    assertThat(PausedHolder.takeovers(1_100, 2_200)).isEmpty();
    // unless its session had been ended. Then the next one was slow, and that counts.
    assertThat(PausedHolder.takeovers(PausedHolder.EXPIRED, 1_100, 2_200)).containsExactly(1.25);
    // It wakes up within its session.
    assertThat(PausedHolder.takeovers(900, 5_000)).isEmpty();
    // It had given the lock back.
    assertThat(PausedHolder.takeovers(3_000, 2_000)).isEmpty();
    // The one that waits sleeps as well, or another one that does not wait.
    assertThat(PausedHolder.takeovers(3_000, 5_000, PausedHolder.pause(1, 1_100, 1_500))).isEmpty();
    assertThat(PausedHolder.takeovers(3_000, 5_000, PausedHolder.pause(2, 1_100, 1_500)))
        .containsExactly(1.25);
  }

  @Test
  void runCanBeJudgedAgain(@TempDir Path directory) throws IOException {
    RunDirectory run = new RunDirectory(directory);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);
    Path page = directory.resolve("page.html");
    Path results = directory.resolve("RESULTS.md");

    assertThat(Recheck.check(List.of(directory), Thresholds.FULL, META, null, null, print))
        .isEqualTo(2);
    run.writeHistory(GOOD.history());
    run.writeLog(Objects.requireNonNull(GOOD.log()));
    run.writeFaults(GOOD.faults());
    run.writeEnd(Objects.requireNonNull(GOOD.end()));
    assertThat(Recheck.check(List.of(directory), Thresholds.FULL, META, page, results, print))
        .isZero();
    assertThat(page).isNotEmptyFile();
    assertThat(results).content().contains("## Profile short", "2026-11-30, seed 3000");
    run.writeLog(lostUpdates());
    assertThat(Recheck.check(List.of(directory), Thresholds.FULL, META, null, null, print))
        .isEqualTo(1);
    Files.writeString(run.endFile(), "{:arm 5}\n");
    assertThat(Recheck.check(List.of(directory), Thresholds.FULL, META, null, null, print))
        .isEqualTo(3);
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("there is no history.edn")
        .contains("VALID  P1, COUNTER")
        .contains("C4 lost update: lock-")
        .contains("end.edn, line 1 is damaged: :arm is 5, a String is expected");
  }
}
