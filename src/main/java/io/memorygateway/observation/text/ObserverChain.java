package io.memorygateway.observation.text;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Observes and condenses with the model, if one is configured, which is asked a second time after a
 * bad answer; else, or if that fails, with the extractive observer, which always succeeds.
 */
public final class ObserverChain {
  private static final Logger LOGGER = LoggerFactory.getLogger(ObserverChain.class);
  private static final int MAX_NOTES_CHARACTERS = 8_000;

  private final @Nullable ModelObserver model;
  private final ExtractiveObserver extractive;
  private final ExtractiveReflector extractiveReflector;
  private final TokenCounter counter;
  private final Consumer<String> badAnswers;

  /**
   * Creates the observers.
   *
   * @param model null if none is configured
   * @param extractiveShare of the tokens of messages that their log may have without a model
   * @param pause called often while text is read; it may wait
   * @param badAnswers is told the reason for which an answer of the model is not kept
   */
  public ObserverChain(
      @Nullable ModelObserver model,
      TokenCounter counter,
      double extractiveShare,
      Runnable pause,
      Consumer<String> badAnswers) {
    SignalWords signals = SignalWords.load();
    this.model = model;
    this.extractive = new ExtractiveObserver(counter, signals, extractiveShare, pause);
    this.extractiveReflector = new ExtractiveReflector(counter, signals, pause);
    this.counter = counter;
    this.badAnswers = badAnswers;
  }

  /**
   * An observation and its origin.
   *
   * @param byModel whether all of it is the model's
   */
  public record Noted(Observation observation, boolean byModel) {}

  private interface Attempt {
    Observation make(ModelObserver model)
        throws ModelFailureException, BadAnswerException, InterruptedException;
  }

  /**
   * Observes messages, in batches if they are many.
   *
   * @param before the messages before them
   * @param notes the observations so far
   * @param threshold tokens over which a message is observed in parts
   * @param instructions of the operator to a model; may be empty
   */
  public Noted observe(
      List<UnobservedMessage> before,
      List<UnobservedMessage> messages,
      String notes,
      long threshold,
      String instructions)
      throws InterruptedException {
    Observation all = new Observation("", null, null, null);
    boolean byModel = model != null;
    List<Passage> passages = Passages.of(messages);
    List<Passage> said = Passages.of(before);
    String noted = ObservationLog.end(notes, MAX_NOTES_CHARACTERS);
    for (List<Passage> batch : Batches.of(passages, counter, Batches.TOKENS, threshold)) {
      String newest = ObservationLog.end(all.log(), MAX_NOTES_CHARACTERS);
      String known = noted + ObservationLog.toAppend(noted, newest);
      String end = ObservationLog.end(known, MAX_NOTES_CHARACTERS);
      List<Passage> last = Passage.lastWords(said);
      Observation observation = tryModel(model -> model.observe(last, batch, end, instructions));
      byModel &= observation != null;
      all = all.then(observation == null ? extractive.observe(batch, end) : observation);
      said = batch;
    }
    return new Noted(all, byModel);
  }

  /**
   * Condenses a log. The result may still be too large, or empty.
   *
   * @param modelTokens that a model is asked for, about
   * @param extractTokens that remain at most where there is no model
   * @param instructions of the operator to a model; may be empty
   */
  public Noted reflect(String log, int modelTokens, int extractTokens, String instructions)
      throws InterruptedException {
    return condense(log, extractTokens, model -> model.reflect(log, modelTokens, instructions));
  }

  /**
   * Condenses what is known of a resource.
   *
   * @param log what was known, and new notes behind it
   * @param maxTokens that the model's answer has at most; without a model it may exceed them by a
   *     single part of a line
   * @param instructions of the operator to a model; may be empty
   */
  public Noted know(String log, int maxTokens, String instructions) throws InterruptedException {
    return condense(log, maxTokens, model -> model.know(log, maxTokens, instructions));
  }

  private Noted condense(String log, int extractTokens, Attempt attempt)
      throws InterruptedException {
    Observation noted = tryModel(attempt);
    return noted == null
        ? new Noted(extractiveReflector.reflect(log, extractTokens), false)
        : new Noted(noted, true);
  }

  private @Nullable Observation tryModel(Attempt attempt) throws InterruptedException {
    if (model == null) {
      return null;
    }
    for (int i = 0; i < 2; i++) {
      try {
        return attempt.make(model);
      } catch (BadAnswerException e) {
        badAnswers.accept(e.reason().label());
        LOGGER.warn("The observer model's output was not kept: {}", e.getMessage());
      } catch (ModelFailureException e) {
        LOGGER.warn("The observer model gave no answer: {}", e.getMessage());
        return null;
      }
    }
    return null;
  }
}
