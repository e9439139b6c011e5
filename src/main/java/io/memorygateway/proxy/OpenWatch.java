package io.memorygateway.proxy;

/** A watch over a client that is under way, or one that watches nothing. */
interface OpenWatch extends AutoCloseable {
  @Override
  void close();
}
