package io.memorygateway.ops;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.AnnotationIntrospector;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.deser.DeserializationProblemHandler;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedClass;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.NopAnnotationIntrospector;
import com.fasterxml.jackson.databind.jsontype.TypeIdResolver;
import com.fasterxml.jackson.databind.jsontype.TypeResolverBuilder;
import com.fasterxml.jackson.databind.jsontype.impl.StdTypeResolverBuilder;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.dropwizard.configuration.ConfigurationException;
import io.dropwizard.configuration.YamlConfigurationFactory;
import jakarta.validation.Validator;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads config.yml and substitutes <code>${NAME}</code> and <code>${NAME:-default}</code> by
 * environment variables. Values are substituted after the YAML is parsed: a password may hold any
 * character. An unset name without a default is an error, and so is an unknown key.
 */
public final class EnvironmentConfigurationFactory<T> extends YamlConfigurationFactory<T> {
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{([^:}]+)(?::-([^}]*))?}");

  private final Map<String, String> environment;

  public EnvironmentConfigurationFactory(
      Class<T> type,
      Validator validator,
      ObjectMapper json,
      String propertyPrefix,
      Map<String, String> environment) {
    super(type, validator, strict(json), propertyPrefix);
    this.environment = Map.copyOf(environment);
  }

  /**
   * A mapper that refuses unknown keys, fractions for integers, numbers for booleans, empty values
   * in lists and maps, and those of Dropwizard's own keys: its sections would fail on them at the
   * start, with no word of the key. Where a section may leave its type out, one that is not known
   * is refused, too; Jackson takes it for the usual one.
   */
  private static ObjectMapper strict(ObjectMapper json) {
    ObjectMapper strict = json.copy().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    strict.disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT);
    strict.setDefaultSetterInfo(JsonSetter.Value.forContentNulls(Nulls.FAIL));
    strict
        .coercionConfigFor(LogicalType.Boolean)
        .setCoercion(CoercionInputShape.Integer, CoercionAction.Fail);
    // Which would be 0; where a number may be left out, empty is left out.
    for (Class<?> number : List.of(int.class, long.class)) {
      strict
          .coercionConfigFor(number)
          .setCoercion(CoercionInputShape.EmptyString, CoercionAction.Fail);
    }
    // Of what is not given, as where there is no file at all.
    strict.setDefaultPropertyInclusion(JsonInclude.Include.NON_ABSENT);
    strict.addHandler(
        new DeserializationProblemHandler() {
          @Override
          public @Nullable JavaType handleMissingTypeId(
              DeserializationContext context,
              JavaType section,
              TypeIdResolver ids,
              String failure) {
            Class<?> usual = usualType(section.getRawClass().getAnnotation(JsonTypeInfo.class));
            return usual == null ? null : context.constructType(usual);
          }
        });
    strict.setAnnotationIntrospector(
        AnnotationIntrospector.pair(
            new DropwizardValues(), strict.getDeserializationConfig().getAnnotationIntrospector()));
    return strict;
  }

  private static final class DropwizardValues extends NopAnnotationIntrospector {
    private static final long serialVersionUID = 1;

    @Override
    public JsonSetter.Value findSetterInfo(Annotated key) {
      return key instanceof AnnotatedMember member
              && member.getDeclaringClass().getName().startsWith("io.dropwizard.")
              // An unknown name of a mode is read as none, too.
              && !member.getName().endsWith("Compliance")
          ? JsonSetter.Value.forValueNulls(Nulls.FAIL)
          : JsonSetter.Value.empty();
    }

    @Override
    public @Nullable TypeResolverBuilder<?> findTypeResolver(
        MapperConfig<?> config, AnnotatedClass section, JavaType base) {
      JsonTypeInfo types = section.getAnnotation(JsonTypeInfo.class);
      return types == null || usualType(types) == null
          ? null
          : new StdTypeResolverBuilder(JsonTypeInfo.Value.from(types).withDefaultImpl(null));
    }
  }

  /** The type of a section that leaves it out; null if it may not. */
  private static @Nullable Class<?> usualType(@Nullable JsonTypeInfo types) {
    return types == null || types.defaultImpl() == JsonTypeInfo.class ? null : types.defaultImpl();
  }

  /** Refuses to go on without a file: what is left out in all sections is not what is meant. */
  @Override
  public T build() {
    throw new IllegalArgumentException(
        "no configuration file is named: it is the last argument, such as config.yml");
  }

  /** Refuses a key that stands twice, and a second document: only one of the two would count. */
  @Override
  protected JsonParser createParser(InputStream input) throws IOException {
    byte[] all = input.readAllBytes();
    try (JsonParser whole = super.createParser(new ByteArrayInputStream(all))) {
      whole.nextToken();
      whole.skipChildren();
      if (whole.nextToken() != null) {
        throw new IllegalArgumentException(
            "The configuration must be one YAML document; another begins at line "
                + whole.currentTokenLocation().getLineNr());
      }
    }
    return super.createParser(new ByteArrayInputStream(all))
        .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);
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

  /** Substitutes variables in a value; a variable's own value is not substituted again. */
  private String substituted(String value, String key) {
    return VARIABLE
        .matcher(value)
        .replaceAll(variable -> Matcher.quoteReplacement(valueOf(variable, key)));
  }

  private String valueOf(MatchResult variable, String key) {
    String name = variable.group(1);
    String set = environment.get(name);
    String byDefault = variable.group(2);
    if (byDefault != null) {
      // As in a shell, empty is unset where there is a default.
      return set == null || set.isEmpty() ? byDefault : set;
    }
    if (set == null) {
      // The rest of the value is not shown: it may hold a secret beside the variable.
      throw new IllegalArgumentException(
          key + ": takes the variable " + name + ", which is not set in the environment");
    }
    return set;
  }
}
