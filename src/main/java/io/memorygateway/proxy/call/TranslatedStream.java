package io.memorygateway.proxy.call;

import io.memorygateway.format.translation.StreamTranslation;
import io.memorygateway.proxy.upstream.StreamFilter;

/** A target's stream on its way to a caller of another format. */
record TranslatedStream(StreamTranslation translation) implements StreamFilter {
  @Override
  public byte[] take(byte[] bytes, int offset, int length) {
    return translation.take(bytes, offset, length);
  }

  @Override
  public byte[] end() {
    return translation.end();
  }
}
