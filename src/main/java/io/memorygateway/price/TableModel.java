package io.memorygateway.price;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * A model in the table.
 *
 * @param seller id of who sells it
 * @param name names that it is called by
 * @param schedule its prices, of which the last that holds counts; empty if they are not known
 */
record TableModel(String seller, String id, Predicate<String> name, List<Scheduled> schedule) {
  private static final int MINUTES_OF_AN_HOUR = 60;

  TableModel {
    schedule = List.copyOf(schedule);
  }

  /**
   * A price that holds from a day on, between two minutes of each day, in UTC.
   *
   * @param until exclusive
   * @param price null if it is not known
   */
  record Scheduled(LocalDate day, int from, int until, @Nullable ModelPrice price) {
    private static Scheduled read(JsonNode written) {
      ObjectNode price = written.deepCopy();
      JsonNode day = price.remove("from");
      JsonNode utc = price.remove("utc");
      return new Scheduled(
          day == null ? LocalDate.MIN : LocalDate.parse(day.asText()),
          utc == null ? 0 : utc.path(0).asInt(),
          utc == null ? Integer.MAX_VALUE : utc.path(1).asInt(),
          price.has("unknown") ? null : ModelPrice.read(price));
    }

    private boolean holdsAt(LocalDateTime time) {
      int minute = time.getHour() * MINUTES_OF_AN_HOUR + time.getMinute();
      return !day.isAfter(time.toLocalDate()) && from <= minute && minute < until;
    }
  }

  static TableModel read(String seller, JsonNode model) {
    return new TableModel(
        seller,
        model.path("id").asText(),
        NamePattern.of(model.path("match")),
        StreamSupport.stream(model.path("prices").spliterator(), false)
            .map(Scheduled::read)
            .toList());
  }

  /** Whether it is the same, by whatever name. */
  boolean isSame(TableModel other) {
    return seller.equals(other.seller) && id.equals(other.id);
  }

  /** The price at a time; null if it is not known. */
  @Nullable ModelPrice at(Instant time) {
    LocalDateTime utc = LocalDateTime.ofInstant(time, ZoneOffset.UTC);
    ModelPrice price = null;
    for (Scheduled each : schedule) {
      if (each.holdsAt(utc)) {
        price = each.price;
      }
    }
    return price;
  }

  /** The model where another one sells it: the prices of service tiers are its seller's own. */
  TableModel soldByAnother() {
    List<Scheduled> standard = new ArrayList<>();
    for (Scheduled each : schedule) {
      ModelPrice price = each.price == null ? null : each.price.withoutServiceTiers();
      standard.add(new Scheduled(each.day, each.from, each.until, price));
    }
    return new TableModel(seller, id, name, standard);
  }
}
