package io.memorygateway.openapi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Set;
import java.util.TreeSet;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * Descriptions of endpoints, from a YAML file. An endpoint without a description, and a description
 * without an endpoint, are errors.
 */
public final class Descriptions {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String file;
  private final JsonNode operations;
  private final Set<String> described = new TreeSet<>();

  /**
   * Creates descriptions none of which is used yet.
   *
   * @param file their source, for errors
   * @param operations descriptions by method and path
   */
  public Descriptions(String file, JsonNode operations) {
    this.file = file;
    this.operations = operations;
  }

  /** Reads a file below {@code openapi/}. */
  public static ObjectNode read(String file) {
    try (InputStream in = Descriptions.class.getResourceAsStream("/openapi/" + file)) {
      return JSON.valueToTree(yaml().load(in));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Jackson's own reader of YAML does not resolve aliases. */
  private static Yaml yaml() {
    return new Yaml(new SafeConstructor(new LoaderOptions()));
  }

  /**
   * The description of an endpoint.
   *
   * @param endpoint method and path, separated by a blank
   * @throws IllegalStateException if there is none
   */
  public JsonNode of(String endpoint) {
    JsonNode operation = operations.get(endpoint);
    if (operation == null) {
      throw new IllegalStateException("not described in openapi/" + file + ": " + endpoint);
    }
    described.add(endpoint);
    return operation;
  }

  /**
   * Checks that each description was used.
   *
   * @throws IllegalStateException naming one that was not
   */
  public void checkAllUsed() {
    operations
        .fieldNames()
        .forEachRemaining(
            endpoint -> {
              if (!described.contains(endpoint)) {
                throw new IllegalStateException("described, but not there: " + endpoint);
              }
            });
  }
}
