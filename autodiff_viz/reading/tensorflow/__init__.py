"""Read what TensorFlow and Keras have of their own: functions, tapes, layers."""
