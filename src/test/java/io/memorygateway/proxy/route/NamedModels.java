package io.memorygateway.proxy.route;

import java.time.Clock;
import java.util.function.Consumer;

/** Calls of one project that name a model in {@code models}, and of a target that is all theirs. */
public final class NamedModels implements Consumer<String> {
  private final Targets targets = new Targets(Clock.systemUTC());
  private final Provider provider = TargetSelectionTest.provider("p");

  @Override
  public void accept(String name) {
    Target unused = targets.named(1, provider, name);
  }
}
