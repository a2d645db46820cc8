# SPDX-License-Identifier: LGPL-2.1-or-later
"""A folder by FUSE that shows another one: slow_disk.py FOLDER WHERE, run by the system's python3. A disk that hangs is this program stopped."""
import errno
import os
import sys

import fusepy


class Passed(fusepy.Operations):
    def __init__(self, folder):
        self.folder = folder

    def at(self, path):
        return self.folder + path

    def getattr(self, path, fh=None):
        try:
            s = os.lstat(self.at(path))
        except OSError as e:
            raise fusepy.FuseOSError(e.errno) from e
        return {k: getattr(s, k) for k in ("st_atime", "st_ctime", "st_gid", "st_mode", "st_mtime", "st_nlink", "st_size", "st_uid")}

    def readdir(self, path, fh):
        return [".", "..", *os.listdir(self.at(path))]

    def mkdir(self, path, mode):
        os.mkdir(self.at(path), mode)

    def rmdir(self, path):
        try:
            os.rmdir(self.at(path))
        except OSError as e:
            raise fusepy.FuseOSError(e.errno) from e

    def unlink(self, path):
        os.unlink(self.at(path))

    def rename(self, old, new):
        os.rename(self.at(old), self.at(new))

    def create(self, path, mode, fi=None):
        return os.open(self.at(path), os.O_RDWR | os.O_CREAT | os.O_TRUNC, mode)

    def open(self, path, flags):
        try:
            return os.open(self.at(path), flags)
        except OSError as e:
            raise fusepy.FuseOSError(e.errno) from e

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(self.at(path), length)

    def flush(self, path, fh):
        return 0

    def fsync(self, path, datasync, fh):
        return 0

    def release(self, path, fh):
        os.close(fh)

    def access(self, path, mode):
        if not os.path.exists(self.at(path)):
            raise fusepy.FuseOSError(errno.ENOENT)

    def statfs(self, path):
        s = os.statvfs(self.at(path))
        return {k: getattr(s, k) for k in ("f_bavail", "f_bfree", "f_blocks", "f_bsize", "f_favail", "f_ffree", "f_files", "f_flag", "f_frsize", "f_namemax")}


fusepy.FUSE(Passed(sys.argv[1]), sys.argv[2], foreground=True, nothreads=False)
