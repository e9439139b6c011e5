package io.memorygateway.quickstart;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/** The sample upstream for a shell script: prints its address and runs until TERM. */
public final class UpstreamProcess {
  private UpstreamProcess() {}

  /** Takes the milliseconds between two events of a stream. */
  public static void main(String[] args) throws IOException, InterruptedException {
    try (SampleUpstream upstream = SampleUpstream.start(Long.parseLong(args[0]))) {
      System.out.println(upstream.url());
      new CountDownLatch(1).await();
    }
  }
}
