package io.memorygateway.http;

import java.util.function.BiConsumer;

/** Headers that every response carries, also one that no resource or filter had a part in. */
@FunctionalInterface
public interface EdgeHeaders {

  /**
   * Sets them.
   *
   * @param path with a leading slash, decoded
   * @param headers takes names and values
   */
  void set(String method, String path, BiConsumer<String, String> headers);
}
