package io.memorygateway.auth;

import com.google.common.net.InetAddresses;
import com.google.common.primitives.Ints;
import java.math.BigInteger;
import java.net.InetAddress;

/**
 * Range of IP addresses, {@code 10.0.0.0/8} or {@code 2001:db8::/32}; a single address is one, too.
 *
 * @param first address of the range
 * @param prefix leading bits that all of its addresses share
 */
public record AddressRange(InetAddress first, int prefix) {

  /**
   * Reads a range; bits behind the prefix are of no meaning.
   *
   * @throws IllegalArgumentException if the text is no range
   */
  public static AddressRange parse(String text) {
    int slash = text.indexOf('/');
    String address = slash < 0 ? text : text.substring(0, slash);
    if (InetAddresses.isInetAddress(address) && address.indexOf('%') < 0) {
      InetAddress any = InetAddresses.forString(address);
      int bits = any.getAddress().length * Byte.SIZE;
      Integer prefix = slash < 0 ? Integer.valueOf(bits) : Ints.tryParse(text.substring(slash + 1));
      if (prefix != null && prefix >= 0 && prefix <= bits) {
        BigInteger network = network(any, prefix).shiftLeft(bits - prefix);
        return new AddressRange(
            bits == Integer.SIZE
                ? InetAddresses.fromIPv4BigInteger(network)
                : InetAddresses.fromIPv6BigInteger(network),
            prefix);
      }
    }
    throw new IllegalArgumentException(
        "each is an address or a range of them, such as 10.0.0.0/8 or 2001:db8::/32");
  }

  public boolean contains(InetAddress address) {
    return address.getAddress().length == first.getAddress().length
        && network(address, prefix).equals(network(first, prefix));
  }

  private static BigInteger network(InetAddress address, int prefix) {
    byte[] bytes = address.getAddress();
    return new BigInteger(1, bytes).shiftRight(bytes.length * Byte.SIZE - prefix);
  }

  @Override
  public String toString() {
    boolean single = prefix == first.getAddress().length * Byte.SIZE;
    return InetAddresses.toAddrString(first) + (single ? "" : "/" + prefix);
  }
}
