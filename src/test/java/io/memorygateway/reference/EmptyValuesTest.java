package io.memorygateway.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.AnnotatedClassResolver;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.MemoryGatewayConfiguration;
import io.memorygateway.ops.StartFailure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Contract §9: an empty value in a list or a map stops the start with a line that names it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EmptyValuesTest {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final Loader loader = new Loader();
  private final ObjectMapper json = loader.json();
  private final Beans beans = new Beans(json);

  /** Files with one empty value, by the key of that value. */
  private final Map<String, JsonNode> files = new LinkedHashMap<>();

  EmptyValuesTest() throws Exception {}

  @Test
  void anEmptyValueOfAnyListOrMapIsNamed() {
    walk(beans.type(MemoryGatewayConfiguration.class), List.of(), List.of(), node -> node);

    assertThat(files)
        .containsKeys(
            "budgets.rules.[0]",
            "budgets.rules.[0].models.[0]",
            "routes.x.groups.[0]",
            "routes.x.groups.[0].[0]",
            "providers.x",
            "providers.x.endpoints.[0]",
            "providers.x.maxOutput.x",
            "memory.sideCalls.x",
            "observation.projects.x",
            "prices.x",
            "trustedProxies.[0]",
            "server.applicationConnectors.[0]",
            "logging.loggers.x",
            "database.properties.x");
    assertThat(files)
        .allSatisfy(
            (key, file) ->
                assertThat(
                        StartFailure.describe(catchThrowable(() -> loader.read((ObjectNode) file))))
                    .isEqualTo(key + ": is empty; give it a value or leave it out"));
  }

  /**
   * Goes through all that can be written at a key.
   *
   * @param around the classes that the key is within, which may hold themselves
   * @param wrap makes the file of what stands at the key
   */
  private void walk(
      JavaType type, List<String> key, List<JavaType> around, UnaryOperator<JsonNode> wrap) {
    if (type.isReferenceType()) {
      walk(type.getReferencedType(), key, around, wrap);
    } else if (type.isMapLikeType()) {
      content(type, and(key, "x"), around, node -> wrap.apply(NODES.objectNode().set("x", node)));
    } else if (type.isCollectionLikeType() || type.isArrayType()) {
      content(type, and(key, "[0]"), around, node -> wrap.apply(NODES.arrayNode().add(node)));
    } else if (!around.contains(type) && isSection(type)) {
      subtypes(type)
          .forEach(
              (name, actual) ->
                  beans
                      .readable(actual)
                      .forEach(
                          (member, of) ->
                              walk(
                                  of,
                                  and(key, member),
                                  and(around, type),
                                  node -> wrap.apply(section(name).set(member, node)))));
    }
  }

  private void content(
      JavaType type, List<String> key, List<JavaType> around, UnaryOperator<JsonNode> wrap) {
    files.put(String.join(".", key), wrap.apply(NullNode.getInstance()));
    walk(type.getContentType(), key, around, wrap);
  }

  /** Whether a class is read member by member: the gateway's, and those of Dropwizard. */
  private boolean isSection(JavaType type) {
    return beans.isOurs(type) || type.getRawClass().getName().startsWith("io.dropwizard.");
  }

  private static ObjectNode section(String type) {
    ObjectNode section = NODES.objectNode();
    return type.isEmpty() ? section : section.put("type", type);
  }

  /** The classes that may stand for one, by their {@code type}; itself, if it has none. */
  private Map<String, JavaType> subtypes(JavaType type) {
    DeserializationConfig config = json.getDeserializationConfig();
    Collection<NamedType> named =
        json.getSubtypeResolver()
            .collectAndResolveSubtypesByTypeId(
                config, AnnotatedClassResolver.resolve(config, type, config));
    Map<String, JavaType> found = new LinkedHashMap<>();
    for (NamedType one : named) {
      if (one.hasName()) {
        found.put(one.getName(), beans.type(one.getType()));
      }
    }
    return found.isEmpty() ? Map.of("", type) : found;
  }

  private static <E> List<E> and(List<E> list, E element) {
    List<E> more = new ArrayList<>(list);
    more.add(element);
    return more;
  }
}
