package io.memorygateway.observation.text;

import io.memorygateway.observation.text.BadAnswerException.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** Observes and condenses with a model, by the gateway's own prompts. */
public final class ModelObserver {
  /** Version of the prompt that asks for observations; records name it. */
  public static final String OBSERVER_PROMPT = "observer-v3";

  /** Version of the prompt that asks for a smaller log; records name it. */
  public static final String REFLECTOR_PROMPT = "reflector-v3";

  /** Version of the prompt that asks for what is known of a resource; records name it. */
  public static final String RESOURCE_PROMPT = "resource-v1";

  private static final PromptTemplate OBSERVER = PromptTemplate.load(OBSERVER_PROMPT);
  private static final PromptTemplate REFLECTOR = PromptTemplate.load(REFLECTOR_PROMPT);
  private static final PromptTemplate RESOURCE = PromptTemplate.load(RESOURCE_PROMPT);

  /** A reflection larger than this share of its log is not worth a new generation. */
  private static final double MAX_REFLECTION_RATIO = 0.8;

  /** Share of the bound that a model is asked for: it does not count well. */
  private static final double RESOURCE_SHARE = 0.75;

  private final ModelClient client;
  private final String model;
  private final int maxOutputTokens;
  private final Duration timeLimit;
  private final TokenCounter counter;
  private final RandomGenerator random;

  /**
   * Creates an observer that asks a model.
   *
   * @param model as callers of the gateway name it: {@code provider/model}
   * @param maxOutputTokens of an answer
   * @param timeLimit of a call
   */
  public ModelObserver(
      ModelClient client,
      String model,
      int maxOutputTokens,
      Duration timeLimit,
      TokenCounter counter,
      RandomGenerator random) {
    this.client = client;
    this.model = model;
    this.maxOutputTokens = maxOutputTokens;
    this.timeLimit = timeLimit;
    this.counter = counter;
    this.random = random;
  }

  /**
   * Observes one batch.
   *
   * @param notes the observations so far, or the end of them
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

  /** Condenses a log to about so many tokens. Names no task: a log does not tell who asked. */
  Observation reflect(String log, int maxTokens)
      throws ModelFailureException, BadAnswerException, InterruptedException {
    return condense(REFLECTOR, log, maxTokens, MAX_REFLECTION_RATIO * counter.count(log));
  }

  /** Condenses what is known of a resource, and notes on its threads, to at most so many tokens. */
  Observation know(String log, int maxTokens)
      throws ModelFailureException, BadAnswerException, InterruptedException {
    return condense(RESOURCE, log, (int) (RESOURCE_SHARE * maxTokens), maxTokens);
  }

  private Observation condense(PromptTemplate prompt, String log, int asked, double most)
      throws ModelFailureException, BadAnswerException, InterruptedException {
    Transcript transcript = Transcript.ofLog(log, random);
    String system =
        prompt.with(Map.of("mark", transcript.mark(), "tokens", Integer.toString(asked)));
    Observation answer = ask(system, transcript.text());
    if (RepetitionGuard.isRepeatingItself(answer.log())) {
      throw new BadAnswerException(Reason.REPEATING);
    }
    if (counter.count(answer.log()) > most) {
      throw new BadAnswerException(Reason.NOT_SMALLER);
    }
    return new Observation(
        answer.log(), null, answer.suggestedContinuation(), answer.threadTitle());
  }

  private Observation ask(String system, String text)
      throws ModelFailureException, BadAnswerException, InterruptedException {
    ModelClient.Completion completion =
        client.complete(new ModelClient.Request(model, system, text, maxOutputTokens, timeLimit));
    return AnswerParser.parse(completion.text(), completion.truncated());
  }
}
