package dev.fencing.examples.bank.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The HTTP client of one process of the bank. Thread-safe. */
final class Teller {

  private static final HttpClient HTTP =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();
  private static final Duration READ = Duration.ofSeconds(2);

  private final String url;

  Teller(String url) {
    this.url = url;
  }

  String url() {
    return url;
  }

  /** Asks for a transfer; what goes wrong on the way is an answer, too. */
  Answer transfer(Order order, Duration timeout) throws InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url + "/transfers/" + order.id()))
            .timeout(timeout)
            .header("Content-Type", "application/json")
            .PUT(
                BodyPublishers.ofString(
                    String.format(
                        Locale.ROOT,
                        "{\"from\":%d,\"to\":%d,\"cents\":%d}",
                        order.from(),
                        order.to(),
                        order.cents())));
    if (order.token() != null) {
      request.header("Fencing-Token", order.token());
    }
    try {
      HttpResponse<String> response = HTTP.send(request.build(), BodyHandlers.ofString());
      return new Answer(response.statusCode(), response.body());
    } catch (IOException e) {
      return new Answer(Answer.NONE, e.toString());
    }
  }

  /** Returns the token of an account's balance, if the process answers. */
  Optional<String> token(long account) throws InterruptedException {
    try {
      return get("/accounts/" + account).headers().firstValue("Fencing-Token");
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Returns what the process shows of itself; empty if it does not answer. */
  Optional<Map<String, Object>> live() throws InterruptedException {
    try {
      HttpResponse<String> response = get("/live");
      return response.statusCode() == Answer.DONE
          ? Optional.of(new Answer(Answer.DONE, response.body()).json())
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url + path)).timeout(READ).build();
    return HTTP.send(request, BodyHandlers.ofString());
  }
}
