package io.memorygateway.faults;

import io.memorygateway.testing.NetworkLink;
import java.util.List;

/**
 * What a network may do between the gateways and their database, the gateways and their upstream,
 * or clients and the gateways: the rows of the table of {@code ops/faults/network}.
 */
enum NetworkFault {
  NONE(Place.DATABASE) {
    @Override
    void tick(List<NetworkLink> links, int tick) {}
  },
  DATABASE_LATENCY(Place.DATABASE) {
    @Override
    void tick(List<NetworkLink> links, int tick) {
      slow(links);
    }
  },
  DATABASE_LOSS(Place.DATABASE) {
    @Override
    void tick(List<NetworkLink> links, int tick) {
      links.forEach(link -> link.lose(LOSS));
    }
  },
  DATABASE_RESETS(Place.DATABASE) {
    @Override
    void tick(List<NetworkLink> links, int tick) {
      links.forEach(NetworkLink::resetOne);
    }
  },
  DATABASE_HALF_OPEN(Place.DATABASE) {
    @Override
    void tick(List<NetworkLink> links, int tick) {
      abandon(links, tick);
    }
  },
  /** Of one gateway. */
  DATABASE_ANSWERS_LOST(Place.DATABASE) {
    @Override
    void tick(List<NetworkLink> links, int tick) {
      links.get(0).hold(false, true);
    }
  },
  /** Of one gateway. */
  DATABASE_REQUESTS_LOST(Place.DATABASE) {
    @Override
    void tick(List<NetworkLink> links, int tick) {
      links.get(0).hold(true, false);
    }
  },
  DATABASE_HUNG(Place.DATABASE) {
    @Override
    void tick(List<NetworkLink> links, int tick) {
      links.forEach(link -> link.hold(true, true));
    }
  },
  UPSTREAM_LATENCY(Place.UPSTREAM) {
    @Override
    void tick(List<NetworkLink> links, int tick) {
      slow(links);
    }
  },
  UPSTREAM_LOSS(Place.UPSTREAM) {
    @Override
    void tick(List<NetworkLink> links, int tick) {
      links.forEach(link -> link.lose(LOSS));
    }
  },
  UPSTREAM_RESETS(Place.UPSTREAM) {
    @Override
    void tick(List<NetworkLink> links, int tick) {
      links.forEach(NetworkLink::resetOne);
    }
  },
  UPSTREAM_HALF_OPEN(Place.UPSTREAM) {
    @Override
    void tick(List<NetworkLink> links, int tick) {
      abandon(links, tick);
    }
  },
  UPSTREAM_ANSWERS_LOST(Place.UPSTREAM) {
    @Override
    void tick(List<NetworkLink> links, int tick) {
      links.forEach(link -> link.hold(false, true));
    }
  },
  CLIENT_LATENCY(Place.CLIENTS) {
    @Override
    void tick(List<NetworkLink> links, int tick) {
      slow(links);
    }
  },
  CLIENT_LOSS(Place.CLIENTS) {
    @Override
    void tick(List<NetworkLink> links, int tick) {
      links.forEach(link -> link.lose(LOSS));
    }
  },
  CLIENT_RESETS(Place.CLIENTS) {
    @Override
    void tick(List<NetworkLink> links, int tick) {
      links.forEach(NetworkLink::resetOne);
    }
  },
  CLIENT_HALF_OPEN(Place.CLIENTS) {
    @Override
    void tick(List<NetworkLink> links, int tick) {
      abandon(links, tick);
    }
  },
  CLIENT_ANSWERS_LOST(Place.CLIENTS) {
    @Override
    void tick(List<NetworkLink> links, int tick) {
      links.get(0).hold(false, true);
    }
  };

  /** Between two ticks. */
  static final int TICK_MILLIS = 200;

  private static final int LATENCY_MILLIS = 20;
  private static final int JITTER_MILLIS = 10;
  private static final double LOSS = 0.02;
  private static final int TICKS_BETWEEN_VANISHING = 25;

  /** Whose links are at fault. */
  enum Place {
    /** One link for each gateway. */
    DATABASE,
    /** One link for all. */
    UPSTREAM,
    /** One link for each gateway. */
    CLIENTS
  }

  private final Place place;

  NetworkFault(Place place) {
    this.place = place;
  }

  Place place() {
    return place;
  }

  /**
   * Makes trouble; called again and again for as long as the fault lasts.
   *
   * @param links of its place
   * @param tick from 0 on
   */
  abstract void tick(List<NetworkLink> links, int tick);

  private static void slow(List<NetworkLink> links) {
    links.forEach(link -> link.latency(LATENCY_MILLIS, JITTER_MILLIS));
  }

  private static void abandon(List<NetworkLink> links, int tick) {
    if (tick % TICKS_BETWEEN_VANISHING == 0) {
      links.forEach(NetworkLink::abandonAll);
    }
  }
}
