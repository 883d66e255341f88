"""The compilers of the clients in other languages: the oldest and, of Kotlin, one of today."""
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
STUBS = os.path.join(ROOT, ".build", "examples", "stubs")
PACKAGE = "org.example.shop"
# What PyPI gives as a kernel of Jupyter carries a compiler.
TODAYS = os.path.join(ROOT, ".build", "test-kotlin")
JAVA = ("java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]}: {done.stdout}{done.stderr}")
    return done.stdout


class Java:
    name, end, adapter = "java", ";", "Sojourn"
    sources = ["Sojourn.java", "android/SojournAndroid.java"]

    @staticmethod
    def compile(files, folder):
        run("javac", "--release", "17", "-Xlint:all", "-Werror", "-encoding", "UTF-8", "-cp", f"{folder}:{STUBS}",
            "-d", folder, *files)

    @staticmethod
    def command(folder, program, *options):
        return [*JAVA, *options, "-cp", f"{folder}:{STUBS}", f"{PACKAGE}.{program}"]


class Kotlin:
    """The oldest that is served, as Debian has it."""

    name, end, adapter = "kotlin", "", "SojournKt"
    sources = ["Sojourn.kt", "android/SojournAndroid.kt"]
    library = os.environ.get("KOTLIN_LIBRARY", "/usr/share/java/kotlin-stdlib.jar")

    @staticmethod
    def compile(files, folder):
        run("kotlinc", "-Werror", "-jvm-target", "1.8", "-cp", f"{folder}:{STUBS}", "-d", folder, *files)

    @classmethod
    def command(cls, folder, program, *options):
        program = program if program.endswith("Kt") else program + "Kt"
        return [*JAVA, *options, "-cp", f"{folder}:{STUBS}:{cls.library}", f"{PACKAGE}.{program}"]


class KotlinOfToday(Kotlin):
    """The version is written down in requirements.txt; docs/client.md tells it."""

    @staticmethod
    def jars(pattern):
        return glob.glob(os.path.join(TODAYS, "run_kotlin_kernel", "jars", pattern))

    @classmethod
    def compiler(cls, *arguments):
        classes = ":".join(cls.jars("kotlin-*.jar") + cls.jars("annotations-*.jar"))
        return [*JAVA, "-Xmx900m", "-cp", classes, "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", *arguments]

    @classmethod
    def version(cls):
        return subprocess.run(cls.compiler("-version"), capture_output=True, text=True, check=True).stderr

    @classmethod
    def compile(cls, files, folder):
        (cls.library,) = cls.jars("kotlin-stdlib-*.jar")
        run(*cls.compiler("-Werror", "-jvm-target", "1.8", "-no-stdlib", "-no-reflect", "-cp",
                          f"{folder}:{STUBS}:{cls.library}", "-d", folder, *files))


def install_todays_kotlin():
    """Whether today's compiler is there; it is installed where pip gives it."""
    with open(os.path.join(HERE, "requirements.txt"), encoding="utf-8") as file:
        wanted = file.read().strip()
    note = os.path.join(TODAYS, "requirements.txt")
    if os.path.exists(note):
        with open(note, encoding="utf-8") as file:
            if file.read().strip() == wanted:
                return True
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--target",
                           TODAYS, wanted], capture_output=True)
    if done.returncode != 0:
        return False
    with open(note, "w", encoding="utf-8") as file:
        file.write(wanted + "\n")
    return True
