// Judges histories of the state's stores for test/linearizable: whether they are linearizable.
module avatarops/tools/porcupine

go 1.26.2

tool avatarops/tools/porcupine

require github.com/anishathalye/porcupine v1.3.0
