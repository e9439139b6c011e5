package io.memorygateway.observation;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whoever can observe: the model, if one is configured, asked a second time when it answers with
 * something that cannot be kept; else the extractive observer, which always can.
 */
final class ObserverChain {
  private static final Logger LOGGER = LoggerFactory.getLogger(ObserverChain.class);
  private static final int MOST_OF_NOTES = 8_000;

  private final @Nullable ModelObserver model;
  private final ExtractiveObserver extractive;
  private final ExtractiveReflector extractiveReflector;
  private final TokenCounter counter;
  private final ObservationMetrics metrics;

  ObserverChain(
      @Nullable ModelObserver model,
      TokenCounter counter,
      SignalWords signals,
      Pace pace,
      ObservationMetrics metrics) {
    this.model = model;
    this.extractive = new ExtractiveObserver(counter, signals, pace);
    this.extractiveReflector = new ExtractiveReflector(counter, signals, pace);
    this.counter = counter;
    this.metrics = metrics;
  }

  /**
   * What was noted.
   *
   * @param byModel whether all of it is the model's
   */
  record Noted(Observation observation, boolean byModel) {}

  /** Something that is done with a model. */
  private interface Attempt {
    Observation make(ModelObserver model)
        throws ModelFailureException, BadAnswerException, InterruptedException;
  }

  /**
   * Observes messages, in portions if they are many.
   *
   * @param notes what is noted already
   * @param threshold tokens over which a message is observed in parts
   */
  Noted observe(List<UnobservedMessage> messages, String notes, long threshold)
      throws InterruptedException {
    Observation all = new Observation("", null, null, null);
    boolean byModel = model != null;
    List<Passage> passages = Passages.of(messages);
    for (List<Passage> batch : Batches.of(passages, counter, Batches.TOKENS, threshold)) {
      String known = notes + ObservationLog.toAppend(notes, all.log());
      String end = ObservationLog.end(known, MOST_OF_NOTES);
      Observation noted = tryModel(model -> model.observe(batch, end));
      byModel &= noted != null;
      all = all.then(noted == null ? extractive.observe(batch, end) : noted);
    }
    return new Noted(all, byModel);
  }

  /** Condenses a log to about so many tokens. It may still be too large, or empty. */
  Noted reflect(String log, int mostTokens) throws InterruptedException {
    Observation noted = tryModel(model -> model.reflect(log, mostTokens));
    return noted == null
        ? new Noted(extractiveReflector.reflect(log, mostTokens), false)
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
        metrics.badAnswer(e.reason().label());
        LOGGER.warn("The observer model's output was not kept: {}", e.getMessage());
      } catch (ModelFailureException e) {
        LOGGER.warn("The observer model gave no answer: {}", e.getMessage());
        return null;
      }
    }
    return null;
  }
}
