/** Holds the documents of this repository to its code. */
package io.memorygateway.documents;
