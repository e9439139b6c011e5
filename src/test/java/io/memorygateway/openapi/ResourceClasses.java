package io.memorygateway.openapi;

import com.google.common.reflect.ClassPath;
import jakarta.ws.rs.Path;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;

/** Finds the resources of the program, in the order of their names. */
public final class ResourceClasses {
  private ResourceClasses() {}

  /** All resources below a package, such as {@code io.memorygateway.console}. */
  public static List<Class<?>> below(String packageName) throws IOException {
    return ClassPath.from(ResourceClasses.class.getClassLoader())
        .getTopLevelClassesRecursive(packageName)
        .stream()
        .filter(found -> found.getSimpleName().endsWith("Resource"))
        .<Class<?>>map(ClassPath.ClassInfo::load)
        .filter(type -> type.isAnnotationPresent(Path.class))
        .sorted(Comparator.comparing(Class::getName))
        .toList();
  }
}
