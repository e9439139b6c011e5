package io.memorygateway.secret;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * Masks a secret in bytes of any kind as they pass. An end that may be the beginning of the secret
 * is held until what follows tells.
 */
public final class MaskedOutputStream extends FilterOutputStream {
  private final SecretBytes secret;
  private byte[] held = {};

  public MaskedOutputStream(SecretBytes secret, OutputStream out) {
    super(out);
    this.secret = secret;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    byte[] all = Arrays.copyOf(held, held.length + length);
    System.arraycopy(bytes, offset, all, held.length, length);
    byte[] masked = secret.mask(all);
    int end = secret.beginsAt(masked);
    out.write(masked, 0, end);
    held = Arrays.copyOfRange(masked, end, masked.length);
  }

  /** Writes what is held: nothing follows. */
  public void finish() throws IOException {
    out.write(held);
    held = new byte[0];
    out.flush();
  }
}
