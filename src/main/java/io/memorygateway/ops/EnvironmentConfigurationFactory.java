package io.memorygateway.ops;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.dropwizard.configuration.ConfigurationException;
import io.dropwizard.configuration.YamlConfigurationFactory;
import jakarta.validation.Validator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.commons.text.StringSubstitutor;

/**
 * Reads config.yml and puts the environment in for <code>${NAME}</code> and <code>${NAME:-default}
 * </code>. That is done in the values, after the YAML is parsed: a password may hold any character.
 * An unset name without a default is an error, and so is a key that there is not.
 */
public final class EnvironmentConfigurationFactory<T> extends YamlConfigurationFactory<T> {
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{([^:}]+)(:-[^}]*)?}");

  private final Map<String, String> environment;
  private final StringSubstitutor substitutor;

  public EnvironmentConfigurationFactory(
      Class<T> type,
      Validator validator,
      ObjectMapper json,
      String propertyPrefix,
      Map<String, String> environment) {
    super(
        type,
        validator,
        json.copy().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES),
        propertyPrefix);
    this.environment = Map.copyOf(environment);
    substitutor = new StringSubstitutor(environment).setEnableUndefinedVariableException(true);
  }

  @Override
  protected T build(JsonNode node, String path) throws IOException, ConfigurationException {
    return super.build(substituted(node, ""), path);
  }

  private JsonNode substituted(JsonNode node, String key) {
    if (node instanceof TextNode text) {
      return TextNode.valueOf(substituted(text.textValue(), key));
    }
    if (node instanceof ObjectNode object) {
      List<String> names = new ArrayList<>();
      object.fieldNames().forEachRemaining(names::add);
      String prefix = key.isEmpty() ? "" : key + ".";
      names.forEach(name -> object.set(name, substituted(object.get(name), prefix + name)));
    } else if (node instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        array.set(i, substituted(array.get(i), key + ".[" + i + "]"));
      }
    }
    return node;
  }

  private String substituted(String value, String key) {
    try {
      return substitutor.replace(value);
    } catch (IllegalArgumentException e) {
      // Nothing of the value is said: it may hold a secret beside the variable.
      throw new IllegalArgumentException(
          key + ": takes a variable that is not set in the environment: " + missing(value), e);
    }
  }

  private String missing(String value) {
    return VARIABLE
        .matcher(value)
        .results()
        .filter(variable -> variable.group(2) == null)
        .map(variable -> variable.group(1))
        .filter(name -> !environment.containsKey(name))
        .collect(Collectors.joining(", "));
  }
}
