package io.memorygateway.reference;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.dropwizard.configuration.ConfigurationException;
import io.dropwizard.core.setup.Bootstrap;
import io.memorygateway.MemoryGatewayApplication;
import io.memorygateway.MemoryGatewayConfiguration;
import io.memorygateway.database.Database;
import io.memorygateway.ops.EnvironmentConfigurationFactory;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Reads config.yml as the gateway does, with a key left out on demand: what then holds is the key's
 * default, and where nothing can be read any more the key is required.
 */
final class Loader {
  private static final Map<String, String> ENVIRONMENT =
      Map.of("DATABASE_URL", "jdbc:mysql://127.0.0.1:3306/gateway");

  private final Bootstrap<MemoryGatewayConfiguration> bootstrap =
      new Bootstrap<>(new MemoryGatewayApplication(ENVIRONMENT));
  private final ObjectNode shipped;

  /** One for all keys: what Jackson finds out about the classes takes most of a reading's time. */
  private final EnvironmentConfigurationFactory<MemoryGatewayConfiguration> factory =
      new EnvironmentConfigurationFactory<>(
          MemoryGatewayConfiguration.class,
          bootstrap.getValidatorFactory().getValidator(),
          bootstrap.getObjectMapper(),
          "dw",
          ENVIRONMENT);

  Loader() throws IOException {
    shipped =
        (ObjectNode) new ObjectMapper(new YAMLFactory()).readTree(Path.of("config.yml").toFile());
  }

  ObjectMapper json() {
    return bootstrap.getObjectMapper();
  }

  /** The file itself, variables and all. */
  ObjectNode shipped() {
    return shipped.deepCopy();
  }

  MemoryGatewayConfiguration read(ObjectNode tree) throws IOException, ConfigurationException {
    byte[] bytes = json().writeValueAsBytes(tree);
    MemoryGatewayConfiguration configuration =
        factory.build(path -> new ByteArrayInputStream(bytes), "config.yml");
    // The checks that wait until a database is needed.
    Database.complete(configuration.getDatabase());
    return configuration;
  }

  /** The configuration where the key does not stand; empty if it must. */
  Optional<MemoryGatewayConfiguration> without(KeyPath key) {
    ObjectNode tree = shipped();
    JsonNode parent = key.parent().in(tree);
    if (parent instanceof ObjectNode object) {
      object.remove(key.name());
    } else if (parent instanceof ArrayNode) {
      throw new IllegalArgumentException(key + " is an element");
    }
    try {
      return Optional.of(read(tree));
    } catch (IOException | ConfigurationException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
