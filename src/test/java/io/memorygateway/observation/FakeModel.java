package io.memorygateway.observation;

import io.memorygateway.observation.text.ModelClient;
import io.memorygateway.observation.text.ModelFailureException;
import io.memorygateway.observation.text.ObservationLog;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A model that observes as a test says. */
final class FakeModel implements ModelClient {
  private static final Pattern FRAME =
      Pattern.compile(
          "<message-[0-9a-f]{16} role=\"(\\w+)\"[^>]*>\n(.*?)\n</message-", Pattern.DOTALL);

  /** What is done in place of an answer, or null for a good one. */
  interface Mood {
    Completion answer(int call, Request request) throws ModelFailureException, InterruptedException;
  }

  final List<Request> requests = Collections.synchronizedList(new ArrayList<>());
  private final Mood mood;

  FakeModel(Mood mood) {
    this.mood = mood;
  }

  @Override
  public Completion complete(Request request) throws ModelFailureException, InterruptedException {
    requests.add(request);
    Completion completion = mood.answer(requests.size(), request);
    return completion == null ? good(request) : completion;
  }

  static Completion text(String text) {
    return new Completion(text, false, 10, 5);
  }

  /** A line for each message, or the first third of the lines of a log. */
  static Completion good(Request request) {
    StringBuilder out = new StringBuilder("<observations>\nDate: November 20, 2026\n");
    if (request.text().contains("<message-")) {
      Matcher frames = FRAME.matcher(request.text());
      while (frames.find()) {
        String said = frames.group(2).replace('\n', ' ');
        out.append("* 🟡 (09:30) model heard: ")
            .append(said, 0, Math.min(40, said.length()))
            .append('\n');
      }
    } else {
      List<String> lines = request.text().lines().filter(ObservationLog::isItem).toList();
      lines
          .subList(0, Math.max(1, lines.size() / 3))
          .forEach(line -> out.append(line).append('\n'));
    }
    out.append("</observations>\n<current-task>\nwant to visit\n</current-task>\n");
    out.append("<suggested-response>\ngo on\n</suggested-response>");
    return text(out.toString());
  }
}
