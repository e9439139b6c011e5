package io.memorygateway.observation.text;

import io.memorygateway.format.content.Media;
import io.memorygateway.observation.text.BadAnswerException.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Observes and condenses with a model, by the gateway's own prompts.
 *
 * @param model as callers of the gateway name it: {@code provider/model}
 * @param maxOutputTokens of an answer
 * @param timeLimit of a call
 * @param shows whether it is shown images and PDF files
 */
public record ModelObserver(
    ModelClient client,
    String model,
    int maxOutputTokens,
    Duration timeLimit,
    boolean shows,
    TokenCounter counter,
    RandomGenerator random) {
  /** Version of the prompt that asks for observations; records name it. */
  public static final String OBSERVER_PROMPT = "observer-v4";

  /** Version of the prompt that asks for a smaller log; records name it. */
  public static final String REFLECTOR_PROMPT = "reflector-v3";

  /** Version of the prompt that asks for what is known of a resource; records name it. */
  public static final String RESOURCE_PROMPT = "resource-v1";

  private static final PromptTemplate OBSERVER = PromptTemplate.load(OBSERVER_PROMPT);
  private static final PromptTemplate REFLECTOR = PromptTemplate.load(REFLECTOR_PROMPT);
  private static final PromptTemplate RESOURCE = PromptTemplate.load(RESOURCE_PROMPT);

  private static final String INSTRUCTIONS = "instructions";

  /** Tokens that notes may have whatever their messages have: images have no text. */
  private static final int MIN_NOTES = 2_000;

  /** A reflection larger than this share of its log is not worth a new generation. */
  private static final double MAX_REFLECTION_RATIO = 0.8;

  /** Share of the bound that a model is asked for: it does not count well. */
  private static final double RESOURCE_SHARE = 0.75;

  /**
   * Observes one batch.
   *
   * @param before what was said just before
   * @param notes the observations so far, or the end of them
   */
  Observation observe(
      List<Passage> before, List<Passage> passages, String notes, String instructions)
      throws ModelFailureException, BadAnswerException, InterruptedException {
    Shown shown = shows ? Shown.of(passages) : Shown.NOTHING;
    Observation answer;
    try {
      answer = observe(before, passages, notes, shown, instructions);
    } catch (ModelFailureException e) {
      if (shown.isEmpty() || e.reason() != ModelFailureException.Reason.REFUSED) {
        throw e;
      }
      // An image may be damaged.
      answer = observe(before, passages, notes, Shown.NOTHING, instructions);
    }
    int most = passages.stream().mapToInt(passage -> counter.count(passage.text())).sum();
    if (counter.count(answer.log()) > Math.max(MIN_NOTES, most)) {
      throw new BadAnswerException(Reason.NOT_SMALLER);
    }
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

  private Observation observe(
      List<Passage> before, List<Passage> passages, String notes, Shown shown, String instructions)
      throws ModelFailureException, BadAnswerException, InterruptedException {
    Transcript transcript = Transcript.ofMessages(before, passages, notes, shown, random);
    String system =
        OBSERVER.with(Map.of("mark", transcript.mark(), INSTRUCTIONS, section(instructions)));
    return ask(system, transcript.text(), shown.media());
  }

  /** Condenses a log to about so many tokens. Names no task: a log does not tell who asked. */
  Observation reflect(String log, int maxTokens, String instructions)
      throws ModelFailureException, BadAnswerException, InterruptedException {
    return condense(
        REFLECTOR, log, maxTokens, MAX_REFLECTION_RATIO * counter.count(log), instructions);
  }

  /** Condenses what is known of a resource, and notes on its threads, to at most so many tokens. */
  Observation know(String log, int maxTokens, String instructions)
      throws ModelFailureException, BadAnswerException, InterruptedException {
    return condense(RESOURCE, log, (int) (RESOURCE_SHARE * maxTokens), maxTokens, instructions);
  }

  private Observation condense(
      PromptTemplate prompt, String log, int asked, double most, String instructions)
      throws ModelFailureException, BadAnswerException, InterruptedException {
    Transcript transcript = Transcript.ofLog(log, random);
    String system =
        prompt.with(
            Map.of(
                "mark",
                transcript.mark(),
                "tokens",
                Integer.toString(asked),
                INSTRUCTIONS,
                section(instructions)));
    Observation answer = ask(system, transcript.text(), List.of());
    if (RepetitionGuard.isRepeatingItself(answer.log())) {
      throw new BadAnswerException(Reason.REPEATING);
    }
    if (counter.count(answer.log()) > most) {
      throw new BadAnswerException(Reason.NOT_SMALLER);
    }
    return new Observation(
        answer.log(), null, answer.suggestedContinuation(), answer.threadTitle());
  }

  /** The part of a prompt with an operator's instructions; empty without. */
  private static String section(String instructions) {
    return instructions.isEmpty()
        ? ""
        : "WHAT THE OPERATOR OF THIS MEMORY ASKS FOR\n\n"
            + instructions
            + "\n\nIt goes before what stands above where the two differ, but for the form of the answer.\n\n";
  }

  private Observation ask(String system, String text, List<Media> shown)
      throws ModelFailureException, BadAnswerException, InterruptedException {
    ModelClient.Completion completion =
        client.complete(
            new ModelClient.Request(model, system, text, shown, maxOutputTokens, timeLimit));
    return AnswerParser.parse(completion.text(), completion.truncated());
  }
}
