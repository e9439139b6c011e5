package io.memorygateway.proxy.upstream;

/** What changes a stream on its way from the upstream; for one stream and one thread. */
public interface StreamFilter {
  /** Takes the next bytes; returns those that go on in their place, often none. */
  byte[] take(byte[] bytes, int offset, int length);

  /** Takes the end of the stream, as the upstream closed it; returns the last bytes. */
  byte[] end();
}
