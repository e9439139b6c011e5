package io.memorygateway.http.arrival;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.concurrent.HeapBudget;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.testing.TestTimeout;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies of 8 MiB at most; the budget has room for one of them, beside small ones. */
class BodyReaderTest {
  private static final int LARGEST = 8 << 20;
  private static final int COST = RequestReservation.REQUEST_COST;
  private static final int FIRST = 64 << 10;

  private final HeapBudget budget =
      new HeapBudget(0, (long) LARGEST * COST, new PrometheusRegistry());

  private RequestReservation of(long key) {
    RequestReservation reservation = RequestReservation.of(budget);
    reservation.heldBy(key);
    return reservation;
  }

  /** A body of which so many bytes arrive with each read. */
  private static class Arriving extends InputStream {
    private final int piece;
    private int left;
    int arrived;

    Arriving(int length, int piece) {
      this.left = length;
      this.piece = piece;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0];
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
      int read = Math.min(Math.min(length, piece), left);
      left -= read;
      arrived += read;
      return read == 0 ? -1 : read;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, LARGEST})
  void whatIsHeldFollowsWhatHasArrivedNotWhatIsAnnounced(int announced) throws Exception {
    List<Long> tooMuch = new ArrayList<>();
    Arriving slow =
        new Arriving(LARGEST, 9_000) {
          @Override
          public int read(byte[] to, int offset, int length) throws IOException {
            if (budget.held() > (long) COST * Math.max(FIRST, 2 * arrived)) {
              tooMuch.add(budget.held());
            }
            return super.read(to, offset, length);
          }
        };
    try (RequestReservation reservation = of(1)) {
      assertThat(BodyReader.read(slow, announced, FIRST, reservation)).hasSize(LARGEST);
      assertThat(tooMuch).isEmpty();
      assertThat(budget.held()).isEqualTo((long) COST * LARGEST);
    }
    assertThat(budget.held()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      ints = {0, 1, FIRST - 1, FIRST, FIRST + 1, 2 * FIRST, (1 << 20) + 1, 3_000_007, LARGEST})
  void aBodyIsReadAsItWasSentHoweverItsLengthIsKnown(int length) throws Exception {
    byte[] body = new byte[length];
    new Random(length).nextBytes(body);
    for (int announced : new int[] {-1, length, length + 1}) {
      for (int first : new int[] {1, FIRST, Math.max(1, length)}) {
        try (RequestReservation reservation = of(1)) {
          assertThat(BodyReader.read(new ByteArrayInputStream(body), announced, first, reservation))
              .isEqualTo(body);
          assertThat(budget.held()).isEqualTo((long) COST * length);
        }
      }
    }
  }

  @Test
  void ofBodiesThatHoldEachOthersRoomOneIsRead() throws Exception {
    int bodies = 3;
    CyclicBarrier half = new CyclicBarrier(bodies);
    ExecutorService threads = Executors.newFixedThreadPool(bodies);
    List<Future<Integer>> results = new ArrayList<>();
    for (int key = 1; key <= bodies; key++) {
      RequestReservation reservation = of(key);
      Arriving body =
          new Arriving(LARGEST, FIRST) {
            @Override
            public int read(byte[] to, int offset, int length) throws IOException {
              if (arrived == LARGEST / 8) {
                met(half);
              }
              return super.read(to, offset, length);
            }
          };
      results.add(
          threads.submit(
              () -> {
                try (reservation) {
                  return BodyReader.read(body, LARGEST, FIRST, reservation).length;
                } catch (ApiException e) {
                  return e.error().status();
                }
              }));
    }
    List<Integer> ends = new ArrayList<>();
    for (Future<Integer> result : results) {
      ends.add(result.get(TestTimeout.SECONDS, TimeUnit.SECONDS));
    }
    threads.shutdown();
    assertThat(ends).contains(LARGEST).containsOnly(LARGEST, 503);
    assertThat(budget.held()).isZero();
  }

  private static void met(CyclicBarrier barrier) throws IOException {
    try {
      barrier.await(TestTimeout.SECONDS, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IOException(e);
    }
  }
}
