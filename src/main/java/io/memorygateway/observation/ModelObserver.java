package io.memorygateway.observation;

import io.memorygateway.observation.BadAnswerException.Reason;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** Observes and condenses with a model, asked by prompts of ours. */
final class ModelObserver {
  static final PromptTemplate OBSERVER = PromptTemplate.load("observer-v3");
  static final PromptTemplate REFLECTOR = PromptTemplate.load("reflector-v3");

  /** A reflection that leaves more than this of a log is not worth a new generation. */
  private static final double MOST_LEFT = 0.8;

  private final ModelClient client;
  private final ObservationSettings.Model model;
  private final TokenCounter counter;
  private final RandomGenerator random;

  ModelObserver(
      ModelClient client,
      ObservationSettings.Model model,
      TokenCounter counter,
      RandomGenerator random) {
    this.client = client;
    this.model = model;
    this.counter = counter;
    this.random = random;
  }

  /**
   * Observes one portion.
   *
   * @param notes what is noted already, or the end of it
   */
  Observation observe(List<Passage> passages, String notes)
      throws ModelFailureException, BadAnswerException, InterruptedException {
    Transcript transcript = Transcript.ofMessages(passages, notes, random);
    Observation answer = ask(OBSERVER.with(Map.of("mark", transcript.mark())), transcript.text());
    String log =
        ObservationLog.isDate(answer.log())
            ? answer.log()
            : ObservationLog.dateLine(passages.get(0).time()) + "\n" + answer.log();
    return new Observation(
        log,
        new UserWords(passages).task(answer.currentTask()),
        answer.suggestedContinuation(),
        answer.threadTitle());
  }

  /** Condenses a log to about so many tokens. It names no task: a log does not tell who asked. */
  Observation reflect(String log, int mostTokens)
      throws ModelFailureException, BadAnswerException, InterruptedException {
    Transcript transcript = Transcript.ofLog(log, random);
    String system =
        REFLECTOR.with(Map.of("mark", transcript.mark(), "tokens", Integer.toString(mostTokens)));
    Observation answer = ask(system, transcript.text());
    if (RepetitionGuard.isRepeatingItself(answer.log())) {
      throw new BadAnswerException(Reason.REPEATING);
    }
    if (counter.count(answer.log()) > MOST_LEFT * counter.count(log)) {
      throw new BadAnswerException(Reason.NOT_SMALLER);
    }
    return new Observation(
        answer.log(), null, answer.suggestedContinuation(), answer.threadTitle());
  }

  private Observation ask(String system, String text)
      throws ModelFailureException, BadAnswerException, InterruptedException {
    ModelClient.Completion completion =
        client.complete(
            new ModelClient.Request(
                model.name(), system, text, model.maxOutputTokens(), model.callTimeout()));
    return AnswerParser.parse(completion.text(), completion.truncated());
  }
}
