package io.memorygateway.database;

import java.lang.annotation.Annotation;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import org.jdbi.v3.sqlobject.customizer.SqlStatementCustomizerFactory;
import org.jdbi.v3.sqlobject.customizer.SqlStatementCustomizingAnnotation;
import org.jdbi.v3.sqlobject.customizer.SqlStatementParameterCustomizer;

/**
 * Binds an id under a name, and the least and the greatest id of its home as {@code first} and
 * {@code last}: a statement that names rows by something else says with them where the rows are.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
@SqlStatementCustomizingAnnotation(BindInHome.Factory.class)
public @interface BindInHome {
  String value();

  final class Factory implements SqlStatementCustomizerFactory {
    @Override
    public SqlStatementParameterCustomizer createForParameter(
        Annotation annotation,
        Class<?> type,
        Method method,
        Parameter parameter,
        int index,
        Type of) {
      String name = ((BindInHome) annotation).value();
      return (statement, id) -> {
        Home home = Home.of((long) id);
        statement.bind(name, id).bind("first", home.first()).bind("last", home.last());
      };
    }
  }
}
