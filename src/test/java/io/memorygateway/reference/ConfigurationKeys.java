package io.memorygateway.reference;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.memorygateway.MemoryGatewayConfiguration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Every key that the reference must explain: all that the gateway's own configuration classes can
 * read, and of Dropwizard's those that config.yml sets.
 */
final class ConfigurationKeys {
  private final Beans beans;
  private final MemoryGatewayConfiguration configuration;
  private final Map<String, KeyPath> keys = new LinkedHashMap<>();

  private ConfigurationKeys(Beans beans, MemoryGatewayConfiguration configuration) {
    this.beans = beans;
    this.configuration = configuration;
  }

  /** By the name in the reference. */
  static Map<String, KeyPath> of(Loader loader) throws Exception {
    Beans beans = new Beans(loader.json());
    ConfigurationKeys found = new ConfigurationKeys(beans, loader.read(loader.shipped()));
    found.ours(KeyPath.ROOT, beans.type(MemoryGatewayConfiguration.class), loader.shipped());
    return found.keys;
  }

  private void ours(KeyPath path, JavaType type, JsonNode written) {
    beans
        .readable(type)
        .forEach(
            (name, declared) -> {
              KeyPath key = path.then(name);
              JavaType child = actual(path, key, declared);
              JsonNode there = written.path(name);
              if (child.isMapLikeType() && beans.isOurs(child.getContentType())) {
                ours(key.then(KeyPath.ANY_NAME), child.getContentType(), MissingNode.getInstance());
              } else if (there.has(0) && beans.isOurs(child.getContentType())) {
                ours(key.element(0), child.getContentType(), there.path(0));
              } else if (beans.isOurs(child)) {
                ours(key, child, there);
              } else if (!there.isMissingNode() || !beans.isInherited(type, name)) {
                dropwizards(key, there);
              }
            });
  }

  /** Of what Dropwizard declares and the gateway extends, the gateway's own. */
  private JavaType actual(KeyPath path, KeyPath key, JavaType declared) {
    Object value = path.equals(KeyPath.ROOT) ? beans.value(configuration, key) : null;
    JavaType type = value == null ? declared : beans.type(value.getClass());
    return beans.isOurs(type) ? type : declared;
  }

  private void dropwizards(KeyPath path, JsonNode written) {
    boolean isMap = written.isObject() && beans.value(configuration, path) instanceof Map;
    if (written.isObject() && !isMap) {
      written
          .properties()
          .forEach(field -> dropwizards(path.then(field.getKey()), field.getValue()));
    } else if (written.isArray() && !written.isEmpty() && written.path(0).isObject()) {
      for (int i = 0; i < written.size(); i++) {
        dropwizards(path.element(i), written.get(i));
      }
    } else {
      keys.putIfAbsent(path.toString(), path);
    }
  }
}
