package io.memorygateway.proxy.call;

import io.memorygateway.format.translation.StreamTranslation;
import io.memorygateway.proxy.upstream.StreamFilter;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A target's stream on its way to a caller of another format. */
record TranslatedStream(StreamTranslation translation) implements StreamFilter {
  private static final Logger LOGGER = LoggerFactory.getLogger(TranslatedStream.class);

  @Override
  public byte[] take(byte[] bytes, int offset, int length) {
    return guarded(() -> translation.take(bytes, offset, length));
  }

  @Override
  public byte[] end() {
    return guarded(translation::end);
  }

  /** What an upstream sends is no reason to lose the caller's stream without a word. */
  private byte[] guarded(Supplier<byte[]> step) {
    try {
      return step.get();
    } catch (RuntimeException defect) {
      LOGGER.error("A stream could not be translated", defect);
      return translation.broken();
    }
  }
}
