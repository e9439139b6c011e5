package io.memorygateway.database;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens connections without auto-commit that accept several statements in one text. */
@FunctionalInterface
public interface ConnectionSource {
  Connection open() throws SQLException;
}
