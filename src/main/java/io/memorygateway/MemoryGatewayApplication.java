package io.memorygateway;

/** Placeholder. */
public final class MemoryGatewayApplication {
  private MemoryGatewayApplication() {}

  public static void main(String[] args) {}
}
