package io.memorygateway.price;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.base.Suppliers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The table of prices in the jar, made by {@code ops/prices/make} of the package genai-prices. It
 * is read when the first price is looked for, and the models of a seller when one of them is.
 */
public final class PriceTable {
  private static final String RESOURCE = "/prices/table.jsonl";
  private static final int COMPACT_DATE = "-20251211".length();

  private final ObjectMapper json = new ObjectMapper();
  private final String version;
  private final LocalDate date;
  private final Supplier<List<Seller>> sellers = Suppliers.memoize(this::sellers);

  /** A table of which only the first line is read. */
  public PriceTable() {
    try (BufferedReader lines = open()) {
      JsonNode head = json.readTree(requireNonNull(lines.readLine()));
      version = head.path("version").asText();
      date = LocalDate.parse(head.path("date").asText());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String version() {
    return version;
  }

  /** The day on which the package was released. */
  public LocalDate date() {
    return date;
  }

  /** What the table is, for operators. */
  public String title() {
    return "genai-prices " + version + " of " + date;
  }

  /**
   * The first of the models of a seller that a name fits.
   *
   * @param seller name that the operator gave it; its address counts first
   * @param address null if it is not known
   * @return null if the table has no such seller or model
   */
  @Nullable TableModel find(String seller, @Nullable String address, String model) {
    String name = seller.strip().toLowerCase(Locale.ROOT);
    String reference = model.toLowerCase(Locale.ROOT);
    Seller found = address == null ? null : first(each -> each.servesAt(address));
    if (found == null) {
      int slash = reference.indexOf('/');
      if (name.equals("litellm") && slash > 0) {
        // The model names the seller.
        name = reference.substring(0, slash);
        reference = reference.substring(slash + 1);
      }
      found = named(name);
    }
    if (found == null) {
      return null;
    }
    TableModel same = find(found, reference);
    return same != null ? same : find(found, withDashesInDates(reference));
  }

  private @Nullable TableModel find(Seller seller, String reference) {
    TableModel own = seller.find(reference);
    if (own != null) {
      return own;
    }
    for (String other : seller.fallback()) {
      Seller maker = first(each -> each.id().equals(other));
      TableModel same = maker == null ? null : maker.find(reference);
      if (same != null) {
        return same.soldByAnother();
      }
    }
    return null;
  }

  private @Nullable Seller named(String name) {
    Seller same = first(each -> each.id().equals(name));
    return same != null ? same : first(each -> each.name().test(name));
  }

  private @Nullable Seller first(Predicate<Seller> wanted) {
    return sellers.get().stream().filter(wanted).findFirst().orElse(null);
  }

  /** Writes {@code -20251211} as {@code -2025-12-11}, at the end or before a dash or colon. */
  private static String withDashesInDates(String reference) {
    StringBuilder written = new StringBuilder(reference);
    for (int i = reference.length() - COMPACT_DATE; i >= 0; i--) {
      int end = i + COMPACT_DATE;
      if (reference.startsWith("-20", i)
          && (end == reference.length() || "-:".indexOf(reference.charAt(end)) >= 0)) {
        try {
          LocalDate date =
              LocalDate.parse(reference.substring(i + 1, end), DateTimeFormatter.BASIC_ISO_DATE);
          written.replace(i + 1, end, date.toString());
        } catch (DateTimeException e) {
          // It is no date.
        }
      }
    }
    return written.toString();
  }

  private List<Seller> sellers() {
    List<Seller> all = new ArrayList<>();
    try (BufferedReader lines = open()) {
      lines.readLine();
      for (String head = lines.readLine(); head != null; head = lines.readLine()) {
        JsonNode seller = json.readTree(head);
        String id = seller.path("id").asText();
        String models = requireNonNull(lines.readLine());
        List<String> fallback = new ArrayList<>();
        seller.path("fallback").forEach(other -> fallback.add(other.asText()));
        all.add(
            new Seller(
                id,
                Pattern.compile(seller.path("url").asText()),
                NamePattern.of(seller.path("match")),
                fallback,
                Suppliers.memoize(() -> models(id, models))));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return all;
  }

  private List<TableModel> models(String seller, String line) {
    try {
      List<TableModel> models = new ArrayList<>();
      json.readTree(line).forEach(model -> models.add(TableModel.read(seller, model)));
      return models;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static BufferedReader open() {
    return new BufferedReader(
        new InputStreamReader(
            requireNonNull(PriceTable.class.getResourceAsStream(RESOURCE)), UTF_8));
  }

  /**
   * Who sells calls of models.
   *
   * @param address with which the base URL of its API begins
   * @param name names that it has besides its id
   * @param fallback ids of sellers whose models it sells too, at their prices
   */
  private record Seller(
      String id,
      Pattern address,
      Predicate<String> name,
      List<String> fallback,
      Supplier<List<TableModel>> models) {
    boolean servesAt(String url) {
      return address.matcher(url).lookingAt();
    }

    @Nullable TableModel find(String reference) {
      return models.get().stream()
          .filter(model -> model.name().test(reference))
          .findFirst()
          .orElse(null);
    }
  }
}
