// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes a model for gpufisher to the file that is named; it knows nothing.
#include "kernels/fisher/model_file.h"
#include "tests/elements/random_model.h"

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  vigil::fisher::write_model(argv[1], vigil::test::random_model(7, {"run"}));
  return 0;
}
